import { type Static, Type } from 'typebox'
import { int64, text } from './fields.ts'

/** Spec 2.3 */
export const Store = Type.Object(
  {
    id: int64('Store identifier'),
    name: text('Store name'),
    timezone: text('Store timezone, a name of the IANA time zone database', { minLength: 1, maxLength: 64 }),
  },
  {
    $id: 'Store',
    description: 'A store the token is authorized against (spec 2.3)',
    examples: [{ id: 1001, name: 'Harbour Street', timezone: 'Australia/Sydney' }],
  },
)

/** Spec 4.2: the store with the token's scopes, as in its table of fields. */
export const ActivatedStore = Type.Object(
  { ...Store.properties, scope: text('The scopes of the token that activated the store, space-delimited') },
  {
    $id: 'ActivatedStore',
    description: 'The store, now activated for this app (spec 4.2)',
    examples: [
      { id: 1001, name: 'Harbour Street', timezone: 'Australia/Sydney', scope: 'integration.store' },
    ],
  },
)

export type Store = Static<typeof Store>
