import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillDisk } from '../../torture/disk-full.ts'
import { limitFileSize, mountSmallDisk } from '../../torture/small-disk.ts'
import { sqliteAlone } from '../helpers/engine.ts'

/** PostgreSQL has its disk elsewhere; that its word for a full one is 503 too, test/storage/postgres-failures shows. */

test('the disk is full: writes are 503 with Retry-After, reads go on, writes resume when there is space', {
  skip: sqliteAlone,
}, async t => {
  // The real thing where it may be mounted; a limit on the size of files where it may not.
  const disk = mountSmallDisk(4) ?? limitFileSize(3)
  const { broken, ...figures } = await fillDisk(disk)
  t.diagnostic(JSON.stringify(figures))
  assert.deepEqual(broken, [])
})
