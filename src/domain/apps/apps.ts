import { commonScopes, integrationScopes, isScope, scopes, splitScope } from '../../contract/scopes.ts'
import type { Clock } from '../../lib/clock.ts'
import { equalHashes, sha256 } from '../../lib/hash.ts'
import { randomId, randomSecret } from '../../lib/ids.ts'
import { isName, nameRule } from '../../lib/names.ts'
import type { App, AppSecret, Storage } from '../../storage/port/index.ts'
import { auditEntry, type By } from '../audit/audit.ts'
import { checkAll, InputError } from '../input-error.ts'
import { isStorageFault } from '../storage-fault.ts'
import { checkRegistered } from './redirect-uri.ts'

/** The fields of an app that may change. */
export interface AppProfile {
  name: string
  /** The app's site and maker, shown to merchants as the developer's own claim. */
  website?: string | null | undefined
  publisher?: string | null | undefined
  redirect_uris: readonly string[]
}

export interface NewApp extends AppProfile {
  /** Space-delimited; null for every scope that a third party may have. */
  scope: string | null
  public: boolean
  owner_id: string | null
}

const longestName = 100
// The new secret and the previous one, so that an app can change over without downtime.
const liveSecrets = 2

export type Apps = ReturnType<typeof createApps>

export function createApps({ storage, clock }: { storage: AppStorage; clock: Clock }) {
  async function mustFind(id: string): Promise<App> {
    const app = await storage.apps.find(id)
    if (!app) throw unknownApp(id)
    return app
  }

  return {
    /** Returns the secret, which is shown once: the database stores only its hash. */
    async create(input: NewApp, by: By): Promise<{ app: App; client_secret: string | null }> {
      const checked = checkAll({
        ...profileChecks(input),
        scope: () => checkScope(input.scope, input.owner_id),
        together: () => checkTogether({ ...input, scope: input.scope ?? integrationScopes.join(' ') }),
      })
      const { together: _, ...valid } = checked
      const app: App = {
        id: newClientId(),
        ...valid,
        public: input.public,
        owner_id: input.owner_id,
        created_at: clock.now(),
        disabled_at: null,
        disabled_by_owner: false,
        logo: null,
      }
      const made = app.public ? null : makeSecret(app.id, app.created_at)
      const entry = auditEntry(clock, by, 'app_created', { app_id: app.id, detail: app.name })
      await storage.apps.create(app, made?.row ?? null, entry)
      return { app, client_secret: made?.client_secret ?? null }
    },

    /**
     * A scope that is added counts for a merchant's stores after the merchant has allowed it, and for stores that an
     * operator linked after they are linked again. One that is removed ends at once.
     */
    async change(id: string, input: AppProfile & { scope?: string }, by: By): Promise<App> {
      const app = await mustFind(id)
      const { redirect_uris, scope = app.scope } = input
      const { together: _, ...valid } = checkAll({
        ...profileChecks(input),
        scope: () => checkScope(scope, app.owner_id),
        together: () => checkTogether({ ...app, redirect_uris, scope }),
      })
      const changed: App = { ...app, ...valid }
      const entry = auditEntry(clock, by, 'app_changed', { app_id: id, detail: whatChanged(app, changed) })
      // Nobody has allowed a scope that the app did not have: a parallel change, or a node of an older version during an
      // upgrade, may have stored it all the same.
      const isRescoped = changed.scope !== app.scope
      const absent = isRescoped ? without(commonScopes(app.scope, changed.scope)) : []
      // A change of the name alone must not bring back a scope that another change removes at this moment.
      await storage.apps.update({ ...changed, scope: isRescoped ? changed.scope : null }, absent, entry)
      return changed
    },

    /** Adds a secret; the previous one works until the next rotation. */
    async rotateSecret(id: string, by: By): Promise<string> {
      const app = await mustFind(id)
      if (app.public) throw new InputError('client_id', `the app ${id} is public: it has no secret`)
      // The oldest secret is removed, so two rotations within a second need different times.
      const [newest] = await storage.apps.secrets(id)
      const created_at = Math.max(clock.now(), (newest?.created_at ?? 0) + 1)
      const { row, client_secret } = makeSecret(id, created_at)
      await storage.apps.addSecret(row, liveSecrets, auditEntry(clock, by, 'secret_added', { app_id: id }))
      return client_secret
    },

    /** False when it is the app's only secret or was removed already. */
    retireSecret: (app_id: string, secret_id: string, by: By): Promise<boolean> =>
      storage.apps.removeSecret(app_id, secret_id, auditEntry(clock, by, 'secret_retired', { app_id })),

    /** `live`: the app's secrets, if the caller has read them already. */
    async verifySecret(app_id: string, secret: string, live?: readonly AppSecret[]): Promise<boolean> {
      const hash = sha256(secret)
      const used = (live ?? (await storage.apps.secrets(app_id))).find(each => equalHashes(each.hash, hash))
      if (!used) return false
      if (used.last_used_at !== null && minute(used.last_used_at) >= minute(clock.now())) return true
      await storage.apps.touchSecret(app_id, used.id, clock.now()).catch(error => {
        // The time of last use is informative only: a full disk must not make the secret fail.
        if (!isStorageFault(error)) throw error
      })
      return true
    },

    /**
     * An operator link: the app may read these stores without a merchant's consent. `shown`: the app's scopes that the
     * operator saw.
     */
    async authorize(id: string, store_ids: readonly bigint[], by: By, shown?: string): Promise<void> {
      const app = await mustFind(id)
      if (shown !== undefined && shown !== app.scope)
        throw new InputError('store', 'the app’s scopes have changed; check them and press Link again')
      for (const store_id of store_ids) {
        if (!(await storage.stores.exists(store_id))) {
          throw new InputError('store', `no store has the id ${store_id}`)
        }
      }
      const link = { id: randomId(), app_id: app.id, account_id: null, scope: app.scope }
      const entry = auditEntry(clock, by, 'access_linked', { app_id: id, store_ids })
      await storage.authorizations.save(link, store_ids, 'add', clock.now(), entry)
    },

    /** Revokes access to these stores, or all access, granted by merchants and operators; returns how many authorizations changed. */
    async revoke(id: string, store_ids: readonly bigint[] | null, by: By): Promise<number> {
      const app = await mustFind(id)
      const entry = auditEntry(clock, by, 'access_revoked', { app_id: id, store_ids: store_ids ?? [] })
      return storage.authorizations.revokeApp(app.id, store_ids, clock.now(), entry)
    },

    /** A disabled app gets no tokens, and its existing ones are refused from the next request on; enabling undoes both. */
    async setDisabled(id: string, disabled: boolean, by: By): Promise<void> {
      const entry = auditEntry(clock, by, disabled ? 'app_disabled' : 'app_enabled', { app_id: id })
      if (!(await storage.apps.setDisabled(id, disabled ? clock.now() : null, entry))) throw unknownApp(id)
    },

    /** The same for the app's developer, who cannot undo an operator's decision; false when nothing changed. */
    setDisabledByOwner: (id: string, disabled: boolean, by: By): Promise<boolean> =>
      storage.apps.setDisabledByOwner(
        id,
        disabled ? clock.now() : null,
        auditEntry(clock, by, disabled ? 'app_disabled' : 'app_enabled', { app_id: id }),
      ),

    list: (): Promise<App[]> => storage.apps.list(),
    find: (id: string): Promise<App | null> => storage.apps.find(id),
  }
}

type AppStorage = Pick<Storage, 'apps' | 'authorizations' | 'stores'>

const minute = (seconds: number): number => Math.floor(seconds / 60)

export const unknownApp = (id: string): InputError =>
  new InputError('client_id', `no app has the client_id ${JSON.stringify(id)}`)

/** A command line would parse an id that starts with a dash as an option. */
function newClientId(): string {
  const id = randomId()
  return id.startsWith('-') ? newClientId() : id
}

function makeSecret(app_id: string, created_at: number): { row: AppSecret; client_secret: string } {
  const client_secret = randomSecret()
  const row = { id: randomId(), app_id, hash: sha256(client_secret), created_at, last_used_at: null }
  return { row, client_secret }
}

const profileChecks = ({ name, website = null, publisher = null, redirect_uris }: AppProfile) => ({
  name: () => checkName('name', name),
  website: () => (website === null || website.trim() === '' ? null : checkWebsite(website.trim())),
  publisher: () => (publisher === null || publisher.trim() === '' ? null : checkName('publisher', publisher)),
  redirect_uris: () => checkRedirectUris(redirect_uris),
})

/** All scopes but these. */
const without = (scope: string): string[] =>
  Object.keys(scopes).filter(name => !splitScope(scope).includes(name))

function whatChanged(before: App, after: App): string {
  const fields = ['name', 'website', 'publisher', 'redirect_uris'] as const
  const changed: string[] = fields.filter(field => String(before[field] ?? '') !== String(after[field] ?? ''))
  const [had, has] = [splitScope(before.scope), splitScope(after.scope)]
  for (const scope of has.filter(each => !had.includes(each))) changed.push(`${scope} added`)
  for (const scope of had.filter(each => !has.includes(each))) changed.push(`${scope} removed`)
  return changed.length === 0 ? 'nothing' : changed.join(', ')
}

function checkName(field: 'name' | 'publisher', name: string): string {
  const trimmed = name.trim()
  const { length } = [...trimmed]
  if (length < 1 || length > longestName) {
    throw new InputError(field, `the ${field} has ${length} characters; it must have 1 to ${longestName}`)
  }
  if (!isName(trimmed)) {
    throw new InputError(field, `the ${field} must be text ${nameRule}`)
  }
  return trimmed
}

/** Merchants may follow this link, so only https addresses of sites are allowed. */
function checkWebsite(website: string): string {
  const url = URL.parse(website)
  const fine =
    url?.protocol === 'https:' && url.username === '' && url.password === '' && website.length <= 200
  if (fine) return url.href
  throw new InputError('website', `the website ${JSON.stringify(website)} is not an https address`)
}

/** Only the command line has a default. */
const emptyScope = (owner_id: string | null): string =>
  owner_id === null ? 'the scope is empty; leave it out for the default' : 'pick at least one'

function checkScope(scope: string | null, owner_id: string | null): string {
  const names = scope === null ? integrationScopes : [...new Set(splitScope(scope))]
  if (names.length === 0) throw new InputError('scope', emptyScope(owner_id))
  const unknown = names.find(name => !isScope(name))
  if (unknown !== undefined) {
    // A developer cannot choose platform.write.
    const choices = owner_id === null ? Object.keys(scopes) : integrationScopes
    throw new InputError('scope', `the scope ${JSON.stringify(unknown)} is not one of ${choices.join(', ')}`)
  }
  return names.join(' ')
}

function checkRedirectUris(uris: readonly string[]): string[] {
  for (const uri of uris) {
    const problem = checkRegistered(uri)
    if (problem !== null) {
      throw new InputError(
        'redirect_uri',
        `the redirect URI ${JSON.stringify(uri)} cannot be used: ${problem}`,
      )
    }
  }
  return [...new Set(uris)]
}

function checkTogether({
  scope,
  redirect_uris,
  public: isPublic,
  owner_id,
}: Pick<App, 'scope' | 'public' | 'owner_id'> & Pick<AppProfile, 'redirect_uris'>): void {
  const names = splitScope(scope)
  // platform.write covers every store, so a developer must not be able to choose it.
  if (names.includes('platform.write') && owner_id !== null) {
    throw new InputError(
      'scope',
      'the scope platform.write is for the platform alone: a developer’s app cannot have it',
    )
  }
  if (names.includes('platform.write') && (names.length > 1 || isPublic || redirect_uris.length > 0)) {
    throw new InputError(
      'scope',
      'platform.write is for the platform alone: such an app has no other scope or redirect URI, and is not public',
    )
  }
  if (isPublic && redirect_uris.length === 0) {
    throw new InputError(
      'redirect_uri',
      'a public app needs at least one redirect URI, because it cannot get a token without one',
    )
  }
}
