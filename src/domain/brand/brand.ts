import type { Clock } from '../../lib/clock.ts'
import { isName, nameRule } from '../../lib/names.ts'
import type { Brand, Storage } from '../../storage/port/index.ts'
import { isEmail } from '../accounts/email.ts'
import { auditEntry, type By } from '../audit/audit.ts'
import { checkAll, InputError } from '../input-error.ts'
import { isStorageFault } from '../storage-fault.ts'

/** The name without a brand. */
export const productName = 'Tillgate'

export const noBrand: Brand = { name: null, accent: null, support: null, logo: null }

export const nameOf = ({ name }: Pick<Brand, 'name'>): string => name ?? productName

/** As typed; an empty text stands for the default. */
export type BrandForm = Record<'name' | 'accent' | 'support', string>

const longestName = 40
const longestUrl = 200

/** Age in seconds after which `current()` starts a new read. */
const oldest = 2

/** The platform's name, colour, logo and support address, which an operator sets while the server runs. */
export function createBrand({ storage, clock }: { storage: Pick<Storage, 'brand'>; clock: Clock }) {
  let brand = noBrand
  let readAt = 0

  /** Keeps the last one when the database cannot answer: a page that needs the database reports that itself. */
  async function refresh(): Promise<Brand> {
    readAt = clock.now()
    try {
      brand = await storage.brand.find()
    } catch (error) {
      if (!isStorageFault(error)) throw error
    }
    return brand
  }

  return {
    /** Reads it: other nodes may have changed it. */
    refresh,
    /** As it was last read, for pages that must not wait for the database. */
    current(): Brand {
      if (Math.abs(clock.now() - readAt) >= oldest) refresh().catch(() => {})
      return brand
    },
    /** Writes no audit entry when nothing changes. */
    async change(form: BrandForm, by: By): Promise<void> {
      const next = checkAll<Omit<Brand, 'logo'>>({
        name: () => emptyOr(form.name, checkName),
        accent: () => emptyOr(form.accent, checkAccent),
        support: () => emptyOr(form.support, checkSupport),
      })
      const before = await storage.brand.find()
      const changed = (['name', 'accent', 'support'] as const).filter(field => next[field] !== before[field])
      if (changed.length === 0) return
      const words = changed.map(field =>
        next[field] === null ? `${field} removed` : `${field} ${next[field]}`,
      )
      await storage.brand.save(next, auditEntry(clock, by, 'brand_changed', { detail: words.join(', ') }))
    },
  }
}

export type BrandService = ReturnType<typeof createBrand>

const emptyOr = (typed: string, check: (text: string) => string): string | null =>
  typed.trim() === '' ? null : check(typed.trim())

function checkName(name: string): string {
  const { length } = [...name]
  if (length > longestName) {
    throw new InputError('name', `the name has ${length} characters; it may have ${longestName}`)
  }
  if (!isName(name)) throw new InputError('name', `the name must be text ${nameRule}`)
  return name
}

/** Any colour will do: the stylesheet makes it darker or lighter where text needs it. */
function checkAccent(accent: string): string {
  if (/^#[\da-f]{6}$/i.test(accent)) return accent.toLowerCase()
  throw new InputError('accent', `the colour ${JSON.stringify(accent)} is not of the form #3451c6`)
}

function checkSupport(support: string): string {
  const url = URL.parse(support)
  const isSite = url?.protocol === 'https:' && url.username === '' && url.password === ''
  if (isSite && support.length <= longestUrl) return url.href
  if (!url && isEmail(support)) return support
  throw new InputError(
    'support',
    `the address ${JSON.stringify(support)} is neither an email nor an https address`,
  )
}
