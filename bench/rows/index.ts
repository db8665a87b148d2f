import type { Rows } from '../bench.ts'
import { changes } from './changes.ts'
import { codeAndRefresh } from './code-and-refresh.ts'
import { compression } from './compression.ts'
import { deepIndex } from './deep-index.ts'
import { freshness } from './freshness.ts'
import { growth } from './growth.ts'
import { ingest } from './ingest.ts'
import { mirror } from './mirror.ts'
import { mixed } from './mixed.ts'
import { notModified } from './not-modified.ts'
import { ordersPage } from './orders-page.ts'
import { pgbench } from './pgbench.ts'
import { sales } from './sales.ts'
import { slowReaders } from './slow-readers.ts'
import { start } from './start.ts'
import { storesAndItems } from './stores-and-items.ts'
import { clientCredentials } from './tokens.ts'
import { waiting } from './waiting.ts'
import { workers } from './workers.ts'

/** In the order of the table; rows that change their data come last. */
export const groups: Record<string, Rows> = {
  'orders-page': ordersPage,
  'not-modified': notModified,
  changes,
  mirror,
  'stores-and-items': storesAndItems,
  pgbench,
  compression,
  'deep-index': deepIndex,
  sales,
  tokens: clientCredentials,
  ingest,
  growth,
  'slow-readers': slowReaders,
  waiting,
  workers,
  start,
  'code-and-refresh': codeAndRefresh,
  mixed,
  freshness,
}
