import type { AuditAction, AuditLine } from '../../storage/port/index.ts'

/** A sentence is text and the things that it names: pages show those as links, the command line as text. */
export type Part =
  | string
  | { account: string; label: string }
  | { app: string; label: string }
  | { store: bigint }

/** Stores that a sentence lists by id. */
const maxStores = 5

type Say = (line: AuditLine) => Part[]

/** For each action: its name in the filter, and the rest of its sentence after the actor. */
export const auditActions: Record<AuditAction, { title: string; says: Say }> = {
  sign_in: { title: 'Sign-in', says: () => say`signed in` },
  sign_in_refused: {
    title: 'Sign-in refused',
    says: line =>
      line.account_id === null
        ? say`failed to sign in with an unknown email${detailOf(line)}`
        : say`failed to sign in as ${accountOf(line)}${detailOf(line)}`,
  },
  sign_out: { title: 'Sign-out', says: () => say`signed out` },
  account_created: {
    title: 'Account created',
    says: line =>
      line.detail === 'sign-up'
        ? say`signed up as a developer`
        : say`created the ${line.detail} account ${accountOf(line)}`,
  },
  account_disabled: {
    title: 'Account disabled',
    says: line =>
      say`disabled the account ${accountOf(line)}, which ended its sessions and the access it gave`,
  },
  account_enabled: { title: 'Account enabled', says: line => say`enabled the account ${accountOf(line)}` },
  password_changed: {
    title: 'Password changed',
    says: line => say`changed the password of ${accountOf(line)}, and ended its sessions`,
  },
  password_link_created: {
    title: 'Password link created',
    says: line => say`created a link with which ${accountOf(line)} can set a password`,
  },
  sessions_ended: { title: 'Sessions ended', says: () => say`signed out everywhere else` },
  two_factor_on: {
    title: 'Two-factor authentication on',
    says: () => say`turned two-factor authentication on`,
  },
  two_factor_off: {
    title: 'Two-factor authentication off',
    says: line => say`turned two-factor authentication off for ${accountOf(line)}`,
  },
  app_created: { title: 'App created', says: line => say`created the app ${appOf(line)}` },
  app_changed: { title: 'App changed', says: line => say`changed the app ${appOf(line)}${detailOf(line)}` },
  app_disabled: { title: 'App disabled', says: line => say`disabled the app ${appOf(line)}` },
  app_enabled: { title: 'App enabled', says: line => say`enabled the app ${appOf(line)}` },
  secret_added: { title: 'Secret added', says: line => say`gave the app ${appOf(line)} a new secret` },
  secret_retired: { title: 'Secret retired', says: line => say`retired a secret of the app ${appOf(line)}` },
  access_allowed: {
    title: 'Access allowed',
    says: line => say`allowed the app ${appOf(line)} to read ${storesOf(line)}`,
  },
  access_denied: { title: 'Access denied', says: line => say`denied the app ${appOf(line)} access` },
  access_changed: {
    title: 'Access changed',
    says: line => say`changed what the app ${appOf(line)} may read to ${storesOf(line)}${detailOf(line)}`,
  },
  access_revoked: {
    title: 'Access revoked',
    says: line =>
      say`ended the access of the app ${appOf(line)}${toStores(line)}${givenBy(line)}${detailOf(line)}`,
  },
  tokens_ended: {
    title: 'Tokens ended',
    says: line => say`ended tokens of the app ${appOf(line)}${givenBy(line)}${detailOf(line)}`,
  },
  access_linked: {
    title: 'App linked to stores',
    says: line => say`linked the app ${appOf(line)} to ${storesOf(line)}`,
  },
  store_moved: {
    title: 'Store moved',
    says: line => say`moved ${storesOf(line)} ${line.detail ?? 'to another merchant'}`,
  },
  keys_rotated: {
    title: 'Keys rotated',
    says: line => say`rotated the signing and cookie keys${detailOf(line)}`,
  },
  feed_renewed: {
    title: 'Feed renewed',
    says: () => say`renewed the feed, so that every app that follows changes reads its stores again`,
  },
  switch_set: {
    title: 'Setting changed',
    says: line => say`turned ${line.detail?.replace(/^\w+/, switchName) ?? 'a setting'}`,
  },
  brand_changed: {
    title: 'Brand changed',
    says: line => say`changed the platform’s brand${detailOf(line)}`,
  },
  webhook_created: {
    title: 'Webhook endpoint added',
    says: line => say`added a webhook endpoint to the app ${appOf(line)}${detailOf(line)}`,
  },
  webhook_changed: {
    title: 'Webhook endpoint changed',
    says: line => say`changed a webhook endpoint of the app ${appOf(line)}${detailOf(line)}`,
  },
  webhook_deleted: {
    title: 'Webhook endpoint deleted',
    says: line => say`deleted a webhook endpoint of the app ${appOf(line)}${detailOf(line)}`,
  },
  webhooks_paused: {
    title: 'Webhooks paused',
    says: line =>
      line.app_id === null
        ? say`stopped all webhooks of the database`
        : say`paused the webhooks of the app ${appOf(line)}`,
  },
  webhooks_resumed: {
    title: 'Webhooks resumed',
    says: line =>
      line.app_id === null
        ? say`let the database send webhooks again`
        : say`resumed the webhooks of the app ${appOf(line)}`,
  },
}

export const isAuditAction = (text: string): text is AuditAction => Object.hasOwn(auditActions, text)

/** What happened: the sentence after `whoOf`. */
export const whatOf = (line: AuditLine): Part[] => auditActions[line.action].says(line)

/** Who did it. */
export function whoOf({ actor_kind, actor_id, actor_name }: AuditLine): Part {
  if (actor_kind === 'server') return 'The server'
  if (actor_kind === 'command') return `${actor_name ?? 'Someone'} on the command line`
  if (actor_id === null) return 'Someone who was not signed in'
  const label = actor_name ?? actor_id
  return actor_kind === 'app' ? { app: actor_id, label } : { account: actor_id, label }
}

/** The parts as text. */
export const partText = (part: Part): string => {
  if (typeof part === 'string') return part
  return 'store' in part ? String(part.store) : part.label
}

const switchNames: Record<string, string> = {
  sign_up: 'developer sign-up',
  two_factor_merchant: 'the two-factor requirement for merchants',
  two_factor_developer: 'the two-factor requirement for developers',
  two_factor_operator: 'the two-factor requirement for operators',
}
const switchName = (name: string): string => switchNames[name] ?? name

type Said = Part | Part[] | null

const say = (texts: TemplateStringsArray, ...values: Said[]): Part[] =>
  texts.flatMap((text, index) => [text, ...[values[index] ?? []].flat()]).filter(part => part !== '')

const accountOf = ({ account_id, account_email }: AuditLine): Part =>
  account_id === null ? 'nobody' : { account: account_id, label: account_email ?? account_id }

const appOf = ({ app_id, app_name }: AuditLine): Part =>
  app_id === null ? 'nothing' : { app: app_id, label: app_name ?? app_id }

function storesOf({ store_ids }: AuditLine): Part[] {
  if (store_ids.length === 0) return ['no store']
  const named = store_ids.slice(0, maxStores).flatMap((store, index): Part[] => {
    if (index === 0) return [{ store }]
    return [index === store_ids.length - 1 ? ' and ' : ', ', { store }]
  })
  const more = store_ids.length - maxStores
  return [
    store_ids.length === 1 ? 'the store ' : 'the stores ',
    ...named,
    ...(more > 0 ? [` and ${more} more`] : []),
  ]
}

/** An entry without stores is about all access. */
const toStores = (line: AuditLine): Part[] => (line.store_ids.length === 0 ? [] : [' to ', ...storesOf(line)])

const givenBy = (line: AuditLine): Part[] =>
  line.account_id === null || line.account_id === line.actor_id ? [] : [' given by ', accountOf(line)]

const detailOf = ({ detail }: AuditLine): string => (detail === null ? '' : `: ${detail}`)
