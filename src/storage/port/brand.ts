import type { AuditEntry } from './audit.ts'

/** How the platform shows itself to people. Null: the default. */
export interface Brand {
  name: string | null
  /** `#rrggbb`. */
  accent: string | null
  /** An email address or an https URL. */
  support: string | null
  /** The version of the logo. */
  logo: string | null
}

export interface BrandStore {
  find(): Promise<Brand>
  /** The logo stays as it is. */
  save(brand: Omit<Brand, 'logo'>, audit?: AuditEntry): Promise<void>
}

export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const

export interface Logo {
  type: (typeof logoTypes)[number]
  /** Changes with the content. */
  version: string
  content: Buffer
}

/** The owner of the platform's own logo; every other owner is an app, by its id. */
export const platformOwner = 'platform'

/** Images of apps and of the platform. */
export interface Logos {
  find(owner_id: string): Promise<Logo | null>
  /** Stores the logo together with its version at the owner, or removes both; false when nothing changed. */
  set(owner_id: string, logo: Logo | null, audit?: AuditEntry): Promise<boolean>
}
