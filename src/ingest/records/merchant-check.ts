import { mostListed, type RecordWarning } from '../../contract/record.ts'
import type { Storage } from '../../storage/port/index.ts'
import type { PreparedRecord } from './prepared.ts'

/** Emails that one query looks for. */
const perQuery = 1000

/** Finds the merchants of a batch that have no account: valid, because it may come later, but often a mistake. */
export class MerchantCheck {
  readonly #storage: Pick<Storage, 'accounts'>
  /** The first line with each email. */
  readonly #lines = new Map<string, number>()

  constructor(storage: Pick<Storage, 'accounts'>) {
    this.#storage = storage
  }

  add({ kind, line, row }: PreparedRecord): void {
    if (kind !== 'store' || typeof row.merchant !== 'string') return
    if (!this.#lines.has(row.merchant)) this.#lines.set(row.merchant, line)
  }

  async warnings(): Promise<RecordWarning[]> {
    const found: RecordWarning[] = []
    const emails = [...this.#lines.keys()]
    for (let i = 0; i < emails.length && found.length < mostListed; i += perQuery) {
      const asked = emails.slice(i, i + perQuery)
      const known = new Set(await this.#storage.accounts.merchantsAmong(asked))
      for (const email of asked)
        if (!known.has(email)) found.push(warning(this.#lines.get(email) ?? 0, email))
    }
    return found.slice(0, mostListed)
  }
}

const warning = (line: number, email: string): RecordWarning => ({
  line,
  field: 'merchant',
  code: 'merchant_unknown',
  message: `line ${line}: merchant is ${email}; no merchant has this email, so nobody owns the store until one does`,
})
