import { type Clock, millisecondsOf, type Seconds } from '../../lib/clock.ts'
import { randomBytes } from 'node:crypto'
import { messageBody } from '../../lib/webhook-message.ts'
import {
  type Storage,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookType,
  webhookEvents,
  webhookTypes,
} from '../../storage/port/index.ts'
import { auditEntry, type By } from '../audit/audit.ts'
import { InputError } from '../input-error.ts'
import type { AddressRules } from './address.ts'
import { newSecret } from './signature.ts'
import { checkUrl } from './url.ts'

const maxEndpoints = 10

const shownDeliveries = 100

/** How long the secret before the last rotation signs too. */
const rotationTime: Seconds = 86_400

export interface ListedEndpoint extends WebhookEndpoint {
  called: boolean
}

export interface EndpointDeps {
  storage: Pick<Storage, 'webhooks' | 'apps'>
  clock: Clock
  rules: AddressRules
}

/** The endpoints of apps, for developers and operators; `delivery.ts` sends to them. */
export function createWebhookEndpoints({ storage: { webhooks, apps }, clock, rules }: EndpointDeps) {
  async function find(id: string): Promise<WebhookEndpoint> {
    const found = await webhooks.find(id)
    if (!found) throw new InputError('id', `there is no webhook endpoint ${id}`)
    return found
  }

  const entry = (by: By, action: 'webhook_created' | 'webhook_changed' | 'webhook_deleted', about: About) =>
    auditEntry(clock, by, action, { app_id: about.app_id, detail: about.detail })

  return {
    find,
    /** With its secret, which is shown once. */
    async create({ app_id, url, events }: NewEndpoint, by: By): Promise<WebhookEndpoint> {
      if (!(await apps.find(app_id))) throw new InputError('app', `there is no app ${app_id}`)
      const endpoint: WebhookEndpoint = {
        id: newId('we'),
        app_id,
        url: checkUrl(url, rules),
        events: checkEvents(events),
        secret: newSecret(),
        previous_secret: null,
        previous_until: null,
        created_at: clock.now(),
        disabled_at: null,
        reason: null,
        failures: 0,
        failing_since: null,
        retry_at_ms: 0,
      }
      const audit = entry(by, 'webhook_created', { app_id, detail: hostOf(endpoint) })
      if (!(await webhooks.create(endpoint, maxEndpoints, audit)))
        throw new InputError('app', `the app has ${maxEndpoints} webhook endpoints already, the maximum`)
      return endpoint
    },
    async list(app_id: string): Promise<WebhookEndpoint[]> {
      if (!(await apps.find(app_id))) throw new InputError('app', `there is no app ${app_id}`)
      return webhooks.ofApp(app_id)
    },
    /** For pages, which show that an endpoint was never called. */
    async listWithCalls(app_id: string): Promise<ListedEndpoint[]> {
      const endpoints = await webhooks.ofApp(app_id)
      return Promise.all(
        endpoints.map(async endpoint => ({ ...endpoint, called: await webhooks.wasCalled(endpoint.id) })),
      )
    },
    /** Whether a new endpoint may be at an address that is not public, or at one with http. */
    allowsOtherAddresses: rules.namesAny,
    /** The new secret; the former one signs too for a day. */
    async rotateSecret(id: string, by: By): Promise<string> {
      const endpoint = await find(id)
      const secret = newSecret()
      const detail = `${hostOf(endpoint)}, new secret`
      const audit = entry(by, 'webhook_changed', { app_id: endpoint.app_id, detail })
      await webhooks.rotateSecret(id, secret, clock.now() + rotationTime, audit)
      return secret
    },
    async setDisabled(id: string, disabled: boolean, by: By): Promise<boolean> {
      const endpoint = await find(id)
      const detail = `${hostOf(endpoint)} ${disabled ? 'disabled' : 'enabled'}`
      const audit = entry(by, 'webhook_changed', { app_id: endpoint.app_id, detail })
      const state = disabled ? ({ at: clock.now(), reason: 'by_hand' } as const) : null
      return webhooks.setDisabled(id, state, audit)
    },
    async remove(id: string, by: By): Promise<void> {
      const endpoint = await find(id)
      const detail = hostOf(endpoint)
      await webhooks.remove(id, entry(by, 'webhook_deleted', { app_id: endpoint.app_id, detail }))
    },
    /** Puts a test event into the outbox; returns its id. */
    async test(id: string): Promise<string> {
      await refuseDisabled(await find(id))
      const now_ms = millisecondsOf(clock)
      const delivery = { endpoint_id: id, id: newId('msg'), type: 'webhook.test', store_id: null } as const
      const body = messageBody('webhook.test', now_ms, '{}')
      await webhooks.add({ ...delivery, body, created_at_ms: now_ms })
      return delivery.id
    },
    wasCalled: (id: string): Promise<boolean> => webhooks.wasCalled(id),
    deliveries: async (id: string, limit = shownDeliveries): Promise<WebhookDelivery[]> =>
      webhooks.deliveries((await find(id)).id, limit),
    /** Null when it is not one of the endpoint's. */
    async delivery(endpoint_id: string, id: string): Promise<WebhookDelivery | null> {
      const found = await webhooks.delivery(id)
      return found?.endpoint_id === endpoint_id ? found : null
    },
    /** Sends a delivery of the log again, with the same `webhook-id`. */
    async resend(delivery_id: string): Promise<WebhookDelivery> {
      const delivery = await webhooks.delivery(delivery_id)
      if (!delivery) throw new InputError('delivery', `there is no delivery ${delivery_id}`)
      await refuseDisabled(await find(delivery.endpoint_id))
      await webhooks.resend(delivery_id)
      return delivery
    },
    /** The webhooks of the app, or those of all apps. */
    isPaused: async (app_id: string): Promise<boolean> =>
      (await webhooks.isPaused(app_id)) || (await webhooks.sender()).paused,
    /** Whether this database sends nothing, because it was stopped, restored or copied. */
    isStopped: async (): Promise<boolean> => (await webhooks.sender()).paused,
    /** The operator's switch for all endpoints of an app. True when it changed something. */
    setPaused: (app_id: string, paused: boolean, by: By): Promise<boolean> =>
      webhooks.setPaused(
        app_id,
        paused,
        auditEntry(clock, by, paused ? 'webhooks_paused' : 'webhooks_resumed', { app_id }),
      ),
    /** For all apps, for example on a copy for tests. False when the database was stopped already. */
    stop: (by: By): Promise<boolean> => webhooks.stop(auditEntry(clock, by, 'webhooks_paused')),
    /** After a stop, a restore or a copy. False when the database was not paused. */
    resume: (by: By): Promise<boolean> => webhooks.resume(auditEntry(clock, by, 'webhooks_resumed')),
  }

  async function refuseDisabled({ id, disabled_at }: WebhookEndpoint): Promise<void> {
    if (disabled_at !== null)
      throw new InputError('id', `the webhook endpoint ${id} is disabled; enable it first`)
  }
}

export type WebhookEndpoints = ReturnType<typeof createWebhookEndpoints>

interface NewEndpoint {
  app_id: string
  url: string
  /** When empty, all but the test, which needs no name. */
  events: readonly string[]
}

interface About {
  app_id: string
  detail: string
}

/** Letters and digits: an id never looks like an option of a command. */
const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('hex')}`

/** For the audit log: a path or query may hold a secret. */
export const hostOf = ({ url }: Pick<WebhookEndpoint, 'url'>): string => new URL(url).host

function checkEvents(events: readonly string[]): WebhookType[] {
  if (events.length === 0) return [...webhookEvents]
  const unknown = events.find(event => !webhookTypes.includes(event as WebhookType))
  if (unknown !== undefined) {
    throw new InputError('events', `"${unknown}" is no event; the events are ${webhookTypes.join(', ')}`)
  }
  return webhookTypes.filter(type => events.includes(type))
}
