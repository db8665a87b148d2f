import { randomBytes } from 'node:crypto'
import { stringifyExact } from '../exact-json.ts'
import { createForwarder, type Delivery } from '../listen/forward.ts'
import { watchStores } from '../listen/watch.ts'
import { clientOf, type Command, type Options, UsageError, urlOf, urlOption } from './command.ts'

export const listen: Command = {
  name: 'listen',
  summary: 'Follows changes and posts signed webhooks to a local address, for development.',
  options: {
    url: urlOption,
    'forward-to': {
      value: 'ADDRESS',
      help: 'where to post, such as localhost:8080/webhooks',
      required: true,
    },
    secret: { value: 'SECRET', help: 'whsec_… to sign with (default: a new one, which is printed)' },
    json: { help: 'print one JSON object a line: the secret, then each delivery' },
  },
  async run(options, context) {
    const { signal, stdout } = context
    const client = clientOf(options, context)
    const address = addressOf(options['forward-to'])
    const secret = secretOf(options['secret'])
    const print = (text: string, object: object) =>
      void stdout.write(`${options['json'] ? stringifyExact(object) : text}\n`)
    const onDelivery = (delivery: Delivery) => {
      const { result, type, store_id, seq } = delivery
      print(`${result}  ${type}  store ${store_id}  seq ${seq}  ${delivery.id}`, delivery)
    }
    const forward = createForwarder({ address, secret, signal, onDelivery })
    try {
      await watchStores({
        client,
        signal,
        onReady: stores =>
          print(`forwarding changes of ${stores} stores to ${address}, signed with ${secret}`, {
            address,
            secret,
            stores,
          }),
        onChange: forward,
      })
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return 0
  },
}

/** `8080`, `localhost:8080/path` or an http(s) address. */
function addressOf(value: Options[string]): string {
  const text = String(value)
  if (text.includes('://')) return urlOf(text, 'forward-to')
  return urlOf(`http://${/^\d+(\/|$)/.test(text) ? 'localhost:' : ''}${text}`, 'forward-to')
}

function secretOf(value: Options[string]): string {
  if (value === undefined) return `whsec_${randomBytes(32).toString('base64')}`
  if (/^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(String(value)))
    return String(value)
  throw new UsageError('--secret is not "whsec_" and Base64')
}
