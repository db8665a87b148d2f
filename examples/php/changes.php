<?php
// Reads a page of orders, and then keeps a copy of a store's orders and items in a file. PHP 8 (64 bit), no packages; https needs the openssl extension.
//
//   export TILLGATE_URL=https://pos.example TILLGATE_CLIENT_ID=… TILLGATE_CLIENT_SECRET=… STORE_ID=1001
//   php changes.php            # follows the changes until it is stopped; may be killed at any moment
//   php changes.php --once     # ends when there is no more
//
// COPY (copy.json) is the file, DAY (today) the day of the page of orders, COUNT (1000) the entries of a page of changes.
declare(strict_types=1);

$url = rtrim(getenv('TILLGATE_URL'), '/');
$store = getenv('STORE_ID');
$file = getenv('COPY') ?: 'copy.json';
$count = getenv('COUNT') ?: '1000';
$day = getenv('DAY') ?: gmdate('Y-m-d');
$token = null;

class Refused extends Exception {}

/** The JSON of the answer. Repeats what may be repeated, for good: a program that follows must survive a long outage. */
function send(string $url, array $options): array
{
    for ($failures = 0; ; $failures++) {
        // Random, so that clients that failed together do not return together.
        $pause = min(60, 0.5 * 2 ** $failures) * random_int(50, 100) / 100;
        $context = stream_context_create(['http' => $options + ['timeout' => 60, 'ignore_errors' => true, 'follow_location' => 0]]);
        $stream = @fopen($url, 'r', false, $context);
        $problem = 'no answer, or half of one';
        if ($stream !== false) {
            $headers = stream_get_meta_data($stream)['wrapper_data'];
            $body = stream_get_contents($stream);
            fclose($stream);
            $status = (int) explode(' ', $headers[0])[1];
            $json = json_decode($body, true);
            if ($status === 200 && is_array($json)) return $json;
            if ($status !== 200) {
                if (!in_array($status, [408, 429, 500, 502, 503, 504], true)) throw new Refused("$status $body", $status);
                $problem = $headers[0];
                foreach ($headers as $header) {
                    if (preg_match('/^Retry-After: *(\d+)\s*$/i', $header, $found)) $pause = $found[1] + random_int(0, 99) / 100;
                }
            }
        }
        fprintf(STDERR, "%s; again in %.1f s\n", $problem, $pause);
        usleep((int) ($pause * 1_000_000));
    }
}

function new_token(): string
{
    global $url;
    $form = [
        'grant_type' => 'client_credentials',
        'client_id' => getenv('TILLGATE_CLIENT_ID'),
        'client_secret' => getenv('TILLGATE_CLIENT_SECRET'),
    ];
    $headers = 'Content-Type: application/x-www-form-urlencoded';
    $options = ['method' => 'POST', 'header' => $headers, 'content' => http_build_query($form)];
    return send("$url/auth/v2/token", $options)['access_token'];
}

/** The data of the answer. A token that is no longer valid is replaced once. */
function get(string $path, array $query): array
{
    global $url, $token;
    for ($attempt = 1; ; $attempt++) {
        $token ??= new_token();
        try {
            return send("$url$path?" . http_build_query($query), ['header' => "Authorization: Bearer $token"])['data'];
        } catch (Refused $error) {
            if ($error->getCode() !== 401 || $attempt === 2) throw $error;
            $token = null;
        }
    }
}

/** Data and position together: a kill leaves the old file or the new one, never half of one. */
function save(string $file, array $copy): void
{
    $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR;
    $out = fopen("$file.new", 'w');
    fwrite($out, json_encode($copy, $flags));
    fsync($out);
    fclose($out);
    rename("$file.new", $file);
}

try {
    $window = ['store_id' => $store, 'start_date' => "$day 00:00:00", 'end_date' => "$day 23:59:59", 'count' => 100];
    echo count(get('/integration/v1/orders', $window)), " orders on $day\n";

    $once = in_array('--once', $argv, true);
    $empty = ['after' => 0, 'feed' => null, 'entries' => []];
    $copy = file_exists($file) ? json_decode(file_get_contents($file), true) : $empty;
    while (true) {
        $query = ['store_id' => $store, 'kinds' => 'order,item', 'count' => $count, 'after' => $copy['after']];
        if ($copy['feed'] !== null) $query['feed'] = $copy['feed'];
        if (!$once) $query['wait'] = 30;
        try {
            $page = get('/integration/v1/changes', $query);
        } catch (Refused $error) {
            if ($error->getCode() !== 409) throw $error;
            $copy = $empty; // the server's history has changed: read everything again
            continue;
        }
        foreach ($page['changes'] as $change) $copy['entries']["{$change['kind']} {$change['id']}"] = $change['data'];
        $copy['after'] = $page['next'];
        $copy['feed'] = $page['feed'];
        save($file, $copy);
        echo count($page['changes']), ' changes, ', count($copy['entries']), " entries\n";
        if ($once && !$page['more']) break;
    }
} catch (Refused $error) {
    fwrite(STDERR, "refused: {$error->getMessage()}\n");
    exit(1);
}
