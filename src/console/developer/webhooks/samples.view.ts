import { html } from 'ghtml'

/** As in docs/webhooks.md. */
const code = {
  Node: `import { Webhook } from 'standardwebhooks' // npm install standardwebhooks
const event = new Webhook(process.env.WEBHOOK_SECRET).verify(rawBody, request.headers)`,
  Python: `from standardwebhooks.webhooks import Webhook  # pip install standardwebhooks
event = Webhook(os.environ["WEBHOOK_SECRET"]).verify(raw_body, headers)`,
  PHP: `$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
$signed = $_SERVER['HTTP_WEBHOOK_ID'] . '.' . $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] . '.' . file_get_contents('php://input');
$expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
$genuine = abs(time() - (int) $_SERVER['HTTP_WEBHOOK_TIMESTAMP']) < 300
    && array_filter(explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE']), fn ($one) => hash_equals($expected, $one));`,
}

export const samples: string = html`<p>Verify the body as it arrived, before you parse it. The secret begins with
    <code>whsec_</code>; during a rotation a call has a signature for each secret.</p>
  !${Object.entries(code).map(([language, text]) => html`<h3>${language}</h3><pre><code>${text}</code></pre>`)}`
