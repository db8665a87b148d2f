import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Reader } from '../../domain/reading/access.ts'
import { parseInt64 } from '../../lib/int64.ts'
import type { Account, StoreDetail } from '../../storage/port/index.ts'
import type { ConsoleDeps } from '../deps.ts'
import { messagePage, type Viewer } from '../layout.ts'
import { sendHtml } from '../send-html.ts'

/** Whose pages these are: the same ones for merchants, with their own stores, and for operators, with all. */
export interface Place {
  /** The list of stores; a store's pages are below it. */
  stores: '/account/stores' | '/operator/stores'
}

/** A store whose data the person may see. */
export interface OpenStore {
  /** The address of the store's pages. */
  base: string
  place: Place
  store: StoreDetail
  viewer: Viewer
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on the pages of a store's data alone. */
    openStore: OpenStore
  }
}

export const readerOf = ({ id }: Account): Reader => ({ claim: { account_id: id } })

type StoreRequest = FastifyRequest<{ Params: { store_id: string } }>

/** Sets `request.openStore`. To a merchant, another merchant's store looks like one that does not exist. */
export const requireStore =
  (place: Place, { storage }: Pick<ConsoleDeps, 'storage'>) =>
  async (request: StoreRequest, reply: FastifyReply) => {
    const { account, viewer, params } = request
    const id = parseInt64(params.store_id)
    const store = id === null ? null : await storage.browse.store(id)
    if (!store || (account.role !== 'operator' && store.merchant !== account.email)) {
      return sendNoStore(reply, viewer, place)
    }
    request.openStore = { base: `${place.stores}/${store.id}`, place, store, viewer }
  }

const sendNoStore = (reply: FastifyReply, viewer: Viewer, { stores }: Place): FastifyReply => {
  const advice =
    viewer.account.role === 'operator'
      ? 'No store has this id.'
      : 'You have no store with this id. It may now belong to another account.'
  const action = { href: stores, label: 'Stores' }
  return sendHtml(reply, messagePage('Store not found', advice, { viewer, action }), 404)
}
