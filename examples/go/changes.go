// Reads a page of orders, and then keeps a copy of a store's orders and items in a file. Go 1.19, standard library only.
//
//	export TILLGATE_URL=https://pos.example TILLGATE_CLIENT_ID=… TILLGATE_CLIENT_SECRET=… STORE_ID=1001
//	go run changes.go            # follows the changes until it is stopped; may be killed at any moment
//	go run changes.go --once     # ends when there is no more
//
// COPY (copy.json) is the file, DAY (today) the day of the page of orders, COUNT (1000) the entries of a page of changes.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

var (
	base   = strings.TrimRight(os.Getenv("TILLGATE_URL"), "/")
	store  = os.Getenv("STORE_ID")
	file   = env("COPY", "copy.json")
	count  = env("COUNT", "1000")
	day    = env("DAY", time.Now().UTC().Format("2006-01-02"))
	client = http.Client{Timeout: time.Minute}
	token  = ""
)

func env(name, preset string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return preset
}

// Refused is an answer that stays the same however often the request is repeated.
type Refused struct {
	Status int
	Text   string
}

func (r *Refused) Error() string { return fmt.Sprintf("refused: %d %s", r.Status, r.Text) }

var passing = map[int]bool{408: true, 429: true, 500: true, 502: true, 503: true, 504: true}

// send reads the JSON of the answer into result. It repeats what may be repeated, for good: a program that follows must
// survive a long outage.
func send(makeRequest func() *http.Request, result any) error {
	for failures := 0; ; failures++ {
		// Random, so that clients that failed together do not return together.
		pause := seconds(math.Min(60, 0.5*math.Pow(2, float64(failures))) * (0.5 + rand.Float64()/2))
		problem := ""
		response, err := client.Do(makeRequest())
		if err != nil {
			problem = err.Error()
		} else {
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			switch {
			case err != nil:
				problem = err.Error()
			case response.StatusCode == 200:
				if err = json.Unmarshal(body, result); err == nil {
					return nil
				}
				problem = err.Error() // half an answer
			case !passing[response.StatusCode]:
				return &Refused{response.StatusCode, string(body)}
			default:
				problem = response.Status
				if after, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
					pause = seconds(float64(after) + rand.Float64())
				}
			}
		}
		fmt.Fprintf(os.Stderr, "%s; again in %.1f s\n", problem, pause.Seconds())
		time.Sleep(pause)
	}
}

func seconds(count float64) time.Duration { return time.Duration(count * float64(time.Second)) }

func newToken() (string, error) {
	form := url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {os.Getenv("TILLGATE_CLIENT_ID")},
		"client_secret": {os.Getenv("TILLGATE_CLIENT_SECRET")},
	}
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	err := send(func() *http.Request {
		request, _ := http.NewRequest("POST", base+"/auth/v2/token", strings.NewReader(form.Encode()))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return request
	}, &answer)
	return answer.AccessToken, err
}

// get reads the data of the answer into data. A token that is no longer valid is replaced once.
func get(path string, query url.Values, data any) error {
	for attempt := 1; ; attempt++ {
		if token == "" {
			var err error
			if token, err = newToken(); err != nil {
				return err
			}
		}
		answer := struct {
			Data any `json:"data"`
		}{data}
		err := send(func() *http.Request {
			request, _ := http.NewRequest("GET", base+path+"?"+query.Encode(), nil)
			request.Header.Set("Authorization", "Bearer "+token)
			return request
		}, &answer)
		if !isStatus(err, 401) || attempt == 2 {
			return err
		}
		token = ""
	}
}

func isStatus(err error, status int) bool {
	var refused *Refused
	return errors.As(err, &refused) && refused.Status == status
}

// Copy has the data and the position. RawMessage keeps every digit.
type Copy struct {
	After   int64                      `json:"after"`
	Feed    string                     `json:"feed"`
	Entries map[string]json.RawMessage `json:"entries"`
}

// textOf is the id of an order, a string, or of an item, a number.
func textOf(id json.RawMessage) string {
	var text string
	if json.Unmarshal(id, &text) == nil {
		return text
	}
	return string(id)
}

func load() (Copy, error) {
	copied := Copy{Entries: map[string]json.RawMessage{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return copied, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &copied)
	}
	return copied, err
}

// save writes data and position together: a kill leaves the old file or the new one, never half of one.
func (c Copy) save() error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	out, err := os.Create(file + ".new")
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err = out.Write(text); err != nil {
		return err
	}
	if err = out.Sync(); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func run() error {
	var orders []json.RawMessage
	window := url.Values{"store_id": {store}, "start_date": {day + " 00:00:00"}, "end_date": {day + " 23:59:59"}, "count": {"100"}}
	if err := get("/integration/v1/orders", window, &orders); err != nil {
		return err
	}
	fmt.Printf("%d orders on %s\n", len(orders), day)

	once := len(os.Args) > 1 && os.Args[1] == "--once"
	copied, err := load()
	for err == nil {
		query := url.Values{"store_id": {store}, "kinds": {"order,item"}, "count": {count}, "after": {strconv.FormatInt(copied.After, 10)}}
		if copied.Feed != "" {
			query.Set("feed", copied.Feed)
		}
		if !once {
			query.Set("wait", "30")
		}
		var page struct {
			Feed    string
			Next    int64
			More    bool
			Changes []struct {
				Kind     string
				ID, Data json.RawMessage
			}
		}
		err = get("/integration/v1/changes", query, &page)
		if isStatus(err, 409) { // the server's history has changed: read everything again
			copied, err = Copy{Entries: map[string]json.RawMessage{}}, nil
			continue
		}
		if err != nil {
			break
		}
		for _, change := range page.Changes {
			copied.Entries[change.Kind+" "+textOf(change.ID)] = change.Data
		}
		copied.After, copied.Feed = page.Next, page.Feed
		if err = copied.save(); err == nil {
			fmt.Printf("%d changes, %d entries\n", len(page.Changes), len(copied.Entries))
		}
		if once && !page.More {
			break
		}
	}
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
