import { appId, apps, endpointId, type Named, type Shape, storeId } from './shape.ts'

/** One for each app; disabled, because no request may leave the machine that measures. */
export function* endpoints(shape: Shape, now: number): Generator<Named> {
  for (let app = 0; app < apps(shape); app++) {
    yield {
      id: endpointId(app),
      app_id: appId(app),
      url: `https://app-${app}.example/webhooks`,
      events: 'store.changed authorization.granted authorization.changed authorization.revoked',
      secret: 'whsec_',
      previous_secret: null,
      previous_until: null,
      created_at: now,
      disabled_at: now,
      reason: 'by_hand',
      failures: 0,
      failing_since: null,
      retry_at_ms: 0,
      access_version: 0,
    }
  }
}

/** The first app may read every store. */
export function* positions({ stores }: Shape): Generator<Named> {
  for (let index = 0; index < stores; index++) {
    yield {
      store_id: storeId(index),
      endpoint_id: endpointId(0),
      history: '',
      seq: 0,
      next_at_ms: 0,
      lease: null,
      leased_until_ms: 0,
    }
  }
}

const deliveriesOfEndpoint = 200
export const deliveryId = (app: number, i: number): string => `message-${app}-${i}`

export function* deliveries(shape: Shape, now: number): Generator<Named> {
  for (let app = 0; app < apps(shape); app++) {
    for (let i = 0; i < deliveriesOfEndpoint; i++) {
      const at_ms = (now - i) * 1000
      yield {
        endpoint_id: endpointId(app),
        id: deliveryId(app, i),
        type: 'store.changed',
        store_id: storeId(i % shape.stores),
        body: `{"type":"store.changed","data":{"store_id":${storeId(i % shape.stores)},"seq":${at_ms}}}`,
        created_at_ms: at_ms,
        state: 'delivered',
        urgent: false,
        attempts: 1,
        attempted_at_ms: at_ms,
        duration_ms: 20,
        status: 204,
        problem: null,
        answer: null,
        lease: null,
        leased_until_ms: 0,
      }
    }
  }
}
