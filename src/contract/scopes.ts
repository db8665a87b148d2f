/** Spec 5.1: the grant types of each scope. `platform.write` is not in the spec: it is for the platform's ingest. */
export const scopes = {
  'integration.store': {
    grants: ['authorization_code', 'client_credentials'],
    gives: 'See the store’s name and time zone, and activate the integration',
  },
  'integration.order': {
    grants: ['client_credentials'],
    gives: 'Read the store’s orders, with their items, taxes, payments and promotions',
  },
  'integration.inventory': {
    grants: ['client_credentials'],
    gives: 'Read the store’s items and how many of each were sold',
  },
  'platform.write': {
    grants: ['client_credentials'],
    gives: 'Write stores, items and orders (the platform itself, never a third party)',
  },
} as const satisfies Record<string, { grants: readonly GrantType[]; gives: string }>

export type Scope = keyof typeof scopes
export type GrantType = 'authorization_code' | 'client_credentials'

export const isScope = (name: string): name is Scope => Object.hasOwn(scopes, name)

/** The scopes a third-party app may be registered for. */
export const integrationScopes = (Object.keys(scopes) as Scope[]).filter(scope => scope !== 'platform.write')

export const allowedForGrant = (scope: string, grant: GrantType): boolean =>
  isScope(scope) && (scopes[scope].grants as readonly string[]).includes(grant)

/** The scopes of the first list that are in the second one too. */
export const commonScopes = (scope: string, other: string): string => {
  const others = splitScope(other)
  return splitScope(scope)
    .filter(name => others.includes(name))
    .join(' ')
}

export const splitScope = (scope: string): string[] => scope.split(' ').filter(name => name !== '')
