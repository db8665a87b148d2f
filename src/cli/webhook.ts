import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import type { WebhookEndpoints } from '../domain/webhooks/endpoints.ts'
import { systemClock } from '../lib/clock.ts'
import { formatDatetime } from '../lib/datetime.ts'
import { rawNumber } from '../lib/exact-json.ts'
import type { WebhookDelivery, WebhookEndpoint } from '../storage/port/index.ts'
import { byCommand, withStoredData } from './shared/command.ts'
import { note, print, stoppedNote } from './shared/output.ts'
import { table } from './shared/table.ts'

interface Json {
  json?: boolean
}

export function registerWebhook(program: Command): void {
  const webhook = program.command('webhook').description('manage the endpoints that apps are called at')
  const shownOnce = 'The secret is shown only once; the receiver verifies signatures with it.'

  webhook
    .command('create')
    .description('add an endpoint to an app; prints its id and, once, its secret')
    .argument('<client_id>')
    .requiredOption('--url <url>', 'where events are sent to')
    .option('--event <type...>', 'an event to send; may be repeated (default: all)')
    .option('--json', 'print the endpoint as JSON')
    .action(async (app_id: string, { url, event = [], json }: Json & { url: string; event?: string[] }) => {
      const made = await withSending(all => all.create({ app_id, url, events: event }, byCommand()))
      const { id, events, secret } = made
      print(json, { id, url: made.url, events, secret }, `id      ${id}\nsecret  ${secret}`)
      note(shownOnce)
    })

  webhook
    .command('list')
    .description('list the endpoints of an app')
    .argument('<client_id>')
    .option('--json', 'print the endpoints as a JSON array')
    .action(async (app_id: string, { json }: Json) => {
      const endpoints = await withSending(all => all.list(app_id))
      print(json, endpoints.map(shown), table(endpoints.map(asLine)) || 'no endpoints')
    })

  webhook
    .command('test')
    .description('send a webhook.test event; a running server delivers it')
    .argument('<id>')
    .option('--json', 'print the delivery’s id as JSON')
    .action(async (id: string, { json }: Json) => {
      const delivery = await withSending(all => all.test(id))
      print(json, { delivery }, `the delivery is ${delivery}`)
    })

  webhook
    .command('deliveries')
    .description('show the last deliveries to an endpoint, newest first')
    .argument('<id>')
    .option('--json', 'print the deliveries as a JSON array')
    .action(async (id: string, { json }: Json) => {
      const found = await withSending(all => all.deliveries(id))
      print(json, found.map(shownDelivery), table(found.map(asDeliveryLine)) || 'no deliveries')
    })

  webhook
    .command('resend')
    .description('send a delivery again, with the same webhook-id')
    .argument('<delivery>')
    .option('--json', 'print the delivery’s id as JSON')
    .action(async (id: string, { json }: Json) => {
      await withSending(all => all.resend(id))
      print(json, { delivery: id }, `${id} is sent again`)
    })

  webhook
    .command('rotate-secret')
    .description('give an endpoint a new secret; the previous one signs too for 24 hours')
    .argument('<id>')
    .option('--json', 'print the secret as JSON')
    .action(async (id: string, { json }: Json) => {
      const secret = await withEndpoints(all => all.rotateSecret(id, byCommand()))
      print(json, { id, secret }, `id      ${id}\nsecret  ${secret}`)
      note(shownOnce)
    })

  for (const [name, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    webhook
      .command(name)
      .description(disabled ? 'send nothing more to an endpoint' : 'send to an endpoint again')
      .argument('<id>')
      .option('--json', 'print the endpoint’s state as JSON')
      .action(async (id: string, { json }: Json) => {
        await withEndpoints(all => all.setDisabled(id, disabled, byCommand()))
        print(json, { id, enabled: !disabled }, `the endpoint ${id} is ${name}d`)
      })
  }

  webhook
    .command('delete')
    .description('delete an endpoint with its deliveries')
    .argument('<id>')
    .option('--json', 'print the endpoint’s id as JSON')
    .action(async (id: string, { json }: Json) => {
      await withEndpoints(all => all.remove(id, byCommand()))
      print(json, { id, deleted: true }, `the endpoint ${id} is deleted`)
    })

  for (const [name, paused] of [
    ['pause', true],
    ['unpause', false],
  ] as const) {
    webhook
      .command(name)
      .description(
        paused ? 'send nothing to any endpoint of an app' : 'send to the endpoints of an app again',
      )
      .argument('<client_id>')
      .option('--json', 'print the app’s state as JSON')
      .action(async (app_id: string, { json }: Json) => {
        await withEndpoints(async all => {
          await all.list(app_id)
          await all.setPaused(app_id, paused, byCommand())
        })
        print(json, { client_id: app_id, paused }, `webhooks of the app ${app_id} are ${name}d`)
      })
  }

  webhook
    .command('stop')
    .description('call no endpoint of any app from this database, for example a copy for tests')
    .option('--json', 'print whether anything changed as JSON')
    .action(async ({ json }: Json) => {
      const stopped = await withEndpoints(all => all.stop(byCommand()))
      print(json, { stopped }, stopped ? 'no webhooks are sent' : 'webhooks were stopped already')
    })

  webhook
    .command('resume')
    .description('call endpoints again from a database that was stopped, restored or copied')
    .option('--json', 'print whether anything changed as JSON')
    .action(async ({ json }: Json) => {
      const resumed = await withEndpoints(all => all.resume(byCommand()))
      print(json, { resumed }, resumed ? 'webhooks are sent again' : 'webhooks were not stopped')
    })
}

const withEndpoints = async <T>(use: (endpoints: WebhookEndpoints) => Promise<T>): Promise<T> => {
  const { createWebhookEndpoints } = await import('../domain/webhooks/endpoints.ts')
  const { createAddressRules } = await import('../domain/webhooks/address.ts')
  const rules = createAddressRules(readConfig().webhook_allow)
  return withStoredData(storage => use(createWebhookEndpoints({ storage, clock: systemClock, rules })))
}

/** The same, with a note when nothing is sent before a `resume`. */
const withSending = <T>(use: (endpoints: WebhookEndpoints) => Promise<T>): Promise<T> =>
  withEndpoints(async all => {
    const result = await use(all)
    if (await all.isStopped()) note(stoppedNote)
    return result
  })

const shown = ({ id, url, events, created_at, ...endpoint }: WebhookEndpoint) => ({
  id,
  url,
  events,
  created_at: formatDatetime(created_at),
  enabled: endpoint.disabled_at === null,
  reason: endpoint.reason,
  failures: endpoint.failures,
  failing_since: endpoint.failing_since === null ? null : formatDatetime(endpoint.failing_since),
})

const asLine = ({ id, url, events, disabled_at, reason, failures }: WebhookEndpoint) => ({
  id,
  url,
  events: events.join(' '),
  state: disabled_at === null ? (failures > 0 ? `failing (${failures})` : 'enabled') : `disabled: ${reason}`,
})

const timeOf = (ms: number | null): string | null =>
  ms === null ? null : formatDatetime(Math.floor(ms / 1000))

const shownDelivery = (delivery: WebhookDelivery) => ({
  id: delivery.id,
  type: delivery.type,
  state: delivery.state,
  store_id: delivery.store_id === null ? null : rawNumber(String(delivery.store_id)),
  body: delivery.body,
  created_at: timeOf(delivery.created_at_ms),
  attempts: delivery.attempts,
  attempted_at: timeOf(delivery.attempted_at_ms),
  duration_ms: delivery.duration_ms,
  status: delivery.status,
  problem: delivery.problem,
  answer: delivery.answer,
})

const asDeliveryLine = (delivery: WebhookDelivery) => ({
  id: delivery.id,
  type: delivery.type,
  created_at: timeOf(delivery.created_at_ms) ?? '',
  state: delivery.state,
  attempts: String(delivery.attempts),
  answer: delivery.problem ?? (delivery.status === null ? '' : `HTTP ${delivery.status}`),
})
