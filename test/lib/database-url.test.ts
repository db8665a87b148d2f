import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressProblem, isPostgresUrl } from '../../src/lib/database-url.ts'

test('postgres:// and postgresql:// are known in any case', () => {
  for (const url of ['postgres://h/db', 'postgresql://u:p@h/db', 'POSTGRES://h/db', 'PostgreSQL://h/db']) {
    assert.equal(isPostgresUrl(url), true, url)
    assert.equal(addressProblem(url), null, url)
  }
})

test('a file path is a path, also on Windows', () => {
  for (const path of [
    'data/tillgate.db',
    './postgres:/x.db',
    '../a=b.db',
    '/var/lib/tillgate@1/x.db',
    'C:\\data\\x.db',
    'C:/data/x.db',
    'postgres/x.db',
    'postgres.db',
    ':memory:',
  ]) {
    assert.equal(addressProblem(path), null, path)
    assert.equal(isPostgresUrl(path), false, path)
  }
})

test('anything else that looks like an address is refused, without its credentials', () => {
  for (const address of [
    'postgres:/u:hunter2@h/db',
    'postgres:u:hunter2@h/db',
    'postgre://u:hunter2@h/db',
    'postgres//u:hunter2@h/db',
    'postgres;//u:hunter2@h/db',
    ' postgres://u:hunter2@h/db',
    '"postgres://u:hunter2@h/db"',
    'mysql://u:hunter2@h/db',
    'http://h',
    'jdbc:postgresql://h/db',
    'file:x.db',
    'sqlite:x.db',
    'sqlite:///x.db',
    'u:hunter2@h/db',
    // A drive letter, or a user of one letter whose password begins with a slash: no path may hold a password.
    'u:/hunter2@h/db',
    'u:\\hunter2@h/db',
    '//u:hunter2@h/db',
    '/u:hunter2@h/db',
    'p://u:hunter2@h/db',
    'host=h user=u password=hunter2',
  ]) {
    const problem = addressProblem(address) ?? ''
    assert.match(problem, /it must be a postgres:\/\/ URL or a file path/, address)
    assert.doesNotMatch(problem, /hunter2/)
  }
  assert.match(addressProblem('mysql://u@h') ?? '', /^starts with "mysql:"/)
})
