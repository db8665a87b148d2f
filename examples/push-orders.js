// A till's end of the platform ingest: gets a token, pushes records from standard input (or FILE) in batches, and tries
// again when the server says so. Needs Node 20 or newer and nothing else.
//
//   TILLGATE_CLIENT_ID=… TILLGATE_CLIENT_SECRET=… node examples/push-orders.js examples/records.ndjson
//
//   TILLGATE_CLIENT_ID, TILLGATE_CLIENT_SECRET   the platform's own client:
//                          npx tillgate app create --name Tills --scope platform.write
//   TILLGATE_URL           the server's address; http://127.0.0.1:3000 when left out
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

const help = `Usage: TILLGATE_CLIENT_ID=… TILLGATE_CLIENT_SECRET=… node examples/push-orders.js [FILE]

Pushes records (NDJSON) from FILE, or from standard input, to Tillgate.

  TILLGATE_CLIENT_ID, TILLGATE_CLIENT_SECRET   the platform's own client:
                         npx tillgate app create --name Tills --scope platform.write
  TILLGATE_URL           the server's address; http://127.0.0.1:3000 when left out`

const {
  TILLGATE_CLIENT_ID,
  TILLGATE_CLIENT_SECRET,
  TILLGATE_URL: base = 'http://127.0.0.1:3000',
} = process.env
const [file] = process.argv.slice(2)
if (file === '--help' || file === '-h') {
  console.log(help)
  process.exit()
}
if (!TILLGATE_CLIENT_ID || !TILLGATE_CLIENT_SECRET) {
  console.error(`TILLGATE_CLIENT_ID and TILLGATE_CLIENT_SECRET must be set\n\n${help}`)
  process.exit(2)
}

const batchSize = 500

let token = ''

async function newToken() {
  const response = await fetch(`${base}/auth/v2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: TILLGATE_CLIENT_ID,
      client_secret: TILLGATE_CLIENT_SECRET,
    }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`no token: ${answer.error}: ${answer.error_description}`)
  return answer.access_token
}

/** Pushing again is safe: a record that is already there counts as unchanged. */
async function push(lines) {
  for (let pause = 500; ; pause = Math.min(pause * 2, 30_000)) {
    token ||= await newToken()
    const response = await fetch(`${base}/platform/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    }).catch(error => ({ ok: false, status: 0, reason: error.cause?.message ?? error.message }))
    if (response.ok) return (await response.json()).data
    if (response.status === 401) {
      token = ''
    } else if (response.status === 0 || response.status === 429 || response.status >= 500) {
      const seconds = Number(response.headers?.get('retry-after')) || pause / 1000
      console.error(`${response.reason ?? response.status}; trying again in ${seconds} s`)
      await wait(seconds * 1000)
    } else {
      const { errors } = (await response.json()).status
      throw new Error([errors.message, ...errors.details.map(detail => `  ${detail.message}`)].join('\n'))
    }
  }
}

const input = file ? createReadStream(file) : process.stdin
const total = { stores: 0, items: 0, orders: 0, unchanged: 0, stale: 0 }
let batch = []

async function flush() {
  if (batch.length === 0) return
  const counts = await push(batch)
  for (const kind of Object.keys(total)) total[kind] += counts[kind]
  for (const { message } of counts.warnings ?? []) console.error(message)
  batch = []
}

try {
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    batch.push(line)
    if (batch.length === batchSize) await flush()
  }
  await flush()
  console.log(JSON.stringify(total))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
