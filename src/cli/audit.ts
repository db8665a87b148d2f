import { type Command, InvalidArgumentError } from 'commander'
import { createAuditLog } from '../domain/audit/log.ts'
import { auditRecord } from '../domain/audit/record.ts'
import { partText, whatOf, whoOf } from '../domain/audit/sentences.ts'
import { formatDatetime } from '../lib/datetime.ts'
import { printable } from '../lib/printable.ts'
import type { AuditLine } from '../storage/port/index.ts'
import { withStoredData } from './shared/command.ts'
import { printAll } from './shared/output.ts'

interface AuditOptions {
  limit?: number
  search?: string
  json?: boolean
}

export function registerAudit(program: Command): void {
  program
    .command('audit')
    .description('print the audit log, newest first: when, who, what, from where')
    .option('--limit <n>', 'maximum number of entries to print (default: 50; with --json all)', readLimit)
    .option('--search <text>', 'only entries about this email, app, store id, address or request id')
    .option('--json', 'print one JSON object per line')
    .action(async ({ json, limit = json ? Infinity : 50, search }: AuditOptions) => {
      const write = json ? auditRecord : sentence
      await withStoredData(async storage => {
        const pages = createAuditLog({ storage }).pages(search ? { search } : {}, limit)
        await printAll(inLines(pages, write))
      })
    })
}

async function* inLines(pages: AsyncIterable<AuditLine[]>, write: (line: AuditLine) => string) {
  for await (const lines of pages) yield lines.map(line => `${write(line)}\n`).join('')
}

function sentence(line: AuditLine): string {
  const what = whatOf(line).map(partText).join('')
  const from = line.address === null ? '' : `, from ${line.address}`
  return printable(`${formatDatetime(line.at)}  ${partText(whoOf(line))} ${what}${from}`)
}

function readLimit(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (value === 0) throw new InvalidArgumentError('It must be a whole number from 1 to 999999999.')
  return value
}
