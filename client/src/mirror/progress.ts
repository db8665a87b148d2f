import type { Page } from './copy.ts'
import type { Head } from './heads.ts'

/** A progress bar on a terminal; nothing elsewhere. */
export interface Progress {
  onPage(store_id: bigint, page: Page, stored: number): void
  end(): void
}

interface Share {
  first: number
  head: number
  next: number
}

/** seqs grow with time and with each change, so their distance to the head is a fair measure of what is left. */
export function createProgress(output: NodeJS.WriteStream, heads: readonly Head[], now = Date.now): Progress {
  const shares = new Map<bigint, Share>(
    heads.map(({ store_id, seq }) => [store_id, { first: -1, head: seq, next: 0 }]),
  )
  const started = now()
  let entries = 0
  let drawn = 0

  function draw(): void {
    drawn = now()
    const parts = [...shares.values()].map(({ first, head, next }) => {
      if (next >= head) return 1
      return first < 0 ? 0 : Math.min(1, Math.max(0, (next - first) / (head - first)))
    })
    const part = parts.length === 0 ? 1 : parts.reduce((sum, each) => sum + each, 0) / parts.length
    const done = parts.filter(each => each === 1).length
    const rate = Math.round((entries * 1000) / Math.max(1, now() - started))
    const bar = '#'.repeat(Math.round(part * 24)).padEnd(24, '.')
    const percent = String(Math.floor(part * 100)).padStart(3)
    const text = `[${bar}] ${percent} %  ${done}/${parts.length} stores  ${entries.toLocaleString('en')} entries  ${rate.toLocaleString('en')}/s`
    output.write(`\r${text.slice(0, (output.columns || 80) - 1)}\u001b[K`)
  }

  return {
    onPage(store_id, { next, more, changes }, stored) {
      entries += stored
      const share = shares.get(store_id)
      if (share) {
        if (share.first < 0) share.first = changes[0]?.seq ?? next
        share.next = more ? next : Math.max(next, share.head)
      }
      if (now() - drawn >= 100) draw()
    },
    end() {
      draw()
      output.write('\n')
    },
  }
}
