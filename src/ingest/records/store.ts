import { StoreRecord } from '../../contract/record.ts'
import type { JsonCursor } from '../../lib/json-cursor.ts'
import { isEmail, normalizeEmail } from '../../domain/accounts/email.ts'
import { compileRecord } from './compile.ts'
import { type Problems, excerpt } from './problems.ts'
import type { PreparedStore } from './prepared.ts'

export function createStoreReader(): (cursor: JsonCursor, problems: Problems) => PreparedStore | null {
  const record = compileRecord(StoreRecord)
  const id = record.index('id')
  const name = record.index('name')
  const timezone = record.index('timezone')
  const merchant = record.index('merchant')

  return (cursor, problems) => {
    record.scan(cursor, problems)
    if (problems.count > 0) return null
    const zone = record.value(timezone)
    if (!isTimezone(JSON.parse(zone) as string)) {
      problems.add(
        'timezone',
        `is ${excerpt(zone)}; it must be a name of the IANA time zone database`,
        '.timezone',
      )
    }
    const written = JSON.parse(record.value(merchant)) as string | null
    const email = written === null ? null : normalizeEmail(written)
    if (email !== null && !isEmail(email)) {
      problems.add(
        'email',
        `is ${excerpt(record.value(merchant))}; it must be an email address or null`,
        '.merchant',
      )
    }
    if (problems.count > 0) return null
    return {
      id: BigInt(record.value(id)),
      name: JSON.parse(record.value(name)) as string,
      timezone: JSON.parse(zone) as string,
      merchant: record.has(merchant) ? email : undefined,
      doc: `{"id":${record.value(id)},"name":${record.value(name)},"timezone":${zone}}`,
    }
  }
}

const timezones = new Map<string, boolean>()

/** There are about 600 names; invalid ones must not fill the memory. */
const mostTimezones = 1000

function isTimezone(name: string): boolean {
  let known = timezones.get(name)
  if (known === undefined) {
    known = intlKnows(name)
    if (timezones.size >= mostTimezones) timezones.clear()
    timezones.set(name, known)
  }
  return known
}

function intlKnows(name: string): boolean {
  // Intl also accepts offsets and any letter case, which other software does not.
  if (!/^[A-Z][^/]*(\/[A-Z][^/]*)*$/.test(name)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}
