# Reads a page of orders, and then keeps a copy of a store's orders and items in a file. Ruby 2.7, nothing to install.
#
#   export TILLGATE_URL=https://pos.example TILLGATE_CLIENT_ID=… TILLGATE_CLIENT_SECRET=… STORE_ID=1001
#   ruby changes.rb            # follows the changes until it is stopped; may be killed at any moment
#   ruby changes.rb --once     # ends when there is no more
#
# COPY (copy.json) is the file, DAY (today) the day of the page of orders, COUNT (1000) the entries of a page of changes.

require "json"
require "net/http"
require "time"

URL = ENV.fetch("TILLGATE_URL").chomp("/")
STORE = ENV.fetch("STORE_ID")
COPY = ENV.fetch("COPY", "copy.json")
COUNT = ENV.fetch("COUNT", "1000")
DAY = ENV.fetch("DAY") { Time.now.utc.strftime("%F") }
$stdout.sync = true

class Refused < StandardError
  attr_reader :status

  def initialize(status, text)
    super("#{status} #{text}")
    @status = status
  end
end

# The JSON of the answer. Repeats what may be repeated, for good: a program that follows must survive a long outage.
def send_request(uri, request)
  (0..).each do |failures|
    pause = [60, 0.5 * 2**failures].min * rand(0.5..1.0) # so that clients that failed together do not return together
    begin
      options = { use_ssl: uri.scheme == "https", open_timeout: 10, read_timeout: 60, max_retries: 0 }
      response = Net::HTTP.start(uri.host, uri.port, **options) { |http| http.request(request) }
      status = response.code.to_i
      return JSON.parse(response.body) if status == 200
      raise Refused.new(status, response.body) unless [408, 429, 500, 502, 503, 504].include?(status)

      pause = response["Retry-After"].to_i + rand if response["Retry-After"].to_s.match?(/\A\d+\z/)
      problem = "#{status} #{response.message}"
    rescue SystemCallError, SocketError, IOError, Timeout::Error, Net::ProtocolError, OpenSSL::SSL::SSLError, JSON::ParserError => e
      problem = e.message # no answer, or half of one
    end
    warn "#{problem}; again in #{pause.round(1)} s"
    sleep pause
  end
end

def new_token
  uri = URI("#{URL}/auth/v2/token")
  request = Net::HTTP::Post.new(uri)
  request.set_form_data(
    "grant_type" => "client_credentials",
    "client_id" => ENV.fetch("TILLGATE_CLIENT_ID"),
    "client_secret" => ENV.fetch("TILLGATE_CLIENT_SECRET")
  )
  send_request(uri, request)["access_token"]
end

# The data of the answer. A token that is no longer valid is replaced once.
def get(path, query)
  uri = URI("#{URL}#{path}?#{URI.encode_www_form(query)}")
  attempts = 0
  begin
    $token ||= new_token
    send_request(uri, Net::HTTP::Get.new(uri, "Authorization" => "Bearer #{$token}"))["data"]
  rescue Refused => e
    raise if e.status != 401 || (attempts += 1) > 1

    $token = nil
    retry
  end
end

def empty
  { "after" => 0, "feed" => nil, "entries" => {} }
end

# Data and position together: a kill leaves the old file or the new one, never half of one.
def save(copy)
  File.open("#{COPY}.new", "w") do |file|
    file.write(JSON.generate(copy))
    file.fsync
  end
  File.rename("#{COPY}.new", COPY)
end

begin
  window = { store_id: STORE, start_date: "#{DAY} 00:00:00", end_date: "#{DAY} 23:59:59", count: 100 }
  puts "#{get('/integration/v1/orders', window).size} orders on #{DAY}"

  once = ARGV.include?("--once")
  copy = File.exist?(COPY) ? JSON.parse(File.read(COPY)) : empty
  loop do
    query = { store_id: STORE, kinds: "order,item", count: COUNT, after: copy["after"] }
    query[:feed] = copy["feed"] if copy["feed"]
    query[:wait] = 30 unless once
    begin
      page = get("/integration/v1/changes", query)
    rescue Refused => e
      raise if e.status != 409

      copy = empty # the server's history has changed: read everything again
      next
    end
    page["changes"].each { |change| copy["entries"]["#{change['kind']} #{change['id']}"] = change["data"] }
    copy["after"] = page["next"]
    copy["feed"] = page["feed"]
    save(copy)
    puts "#{page['changes'].size} changes, #{copy['entries'].size} entries"
    break if once && !page["more"]
  end
rescue Refused => e
  abort "refused: #{e.message}"
rescue Interrupt
  exit
end
