import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownSettings } from '../../src/config.ts'

const said = (name: string, value = '1') => unknownSettings({ [name]: value })

test('a misspelt setting is named with the one it resembles', () => {
  for (const [name, meant] of [
    ['TILLGATE_DATABSE', 'TILLGATE_DATABASE'],
    ['TILLGATE_DATABASE_URL', 'TILLGATE_DATABASE'],
    ['TILLGATE_DATABASE_POOOL', 'TILLGATE_DATABASE_POOL'],
    ['TILLGATE_WORKER', 'TILLGATE_WORKERS'],
    ['TILLGATE_BASEURL', 'TILLGATE_BASE_URL'],
    ['TILLGATE_PORT', 'PORT'],
    ['TILLGATE_HOST', 'HOST'],
    ['tillgate_database', 'TILLGATE_DATABASE'],
    ['TILGATE_WORKERS', 'TILLGATE_WORKERS'],
    ['TILLGATE__WORKERS', 'TILLGATE_WORKERS'],
  ] as const) {
    assert.deepEqual(said(name), [`${name} is not a setting; did you mean ${meant}?`])
  }
})

test('one that resembles none is named too, and no value is', () => {
  assert.deepEqual(said('TILLGATE_FROBNICATE', 'hunter2'), [
    'TILLGATE_FROBNICATE is not a setting; the README lists the settings',
  ])
})

test('settings, variables of other programs and those that Kubernetes sets are silent', () => {
  for (const [name, value] of [
    ['TILLGATE_DATABASE'],
    ['PORT'],
    ['PATH'],
    ['WORKERS'],
    ['DATABASE_URL'],
    ['TILLGATE_URL'],
    ['TILLGATE_CLIENT_SECRET'],
    ['TILLGATE_SERVICE_HOST'],
    ['TILLGATE_SERVICE_PORT_HTTP'],
    ['TILLGATE_DB_SERVICE_HOST'],
    ['TILLGATE_PORT_3000_TCP_ADDR'],
    ['TILLGATE_PORT', 'tcp://10.0.0.1:3000'],
  ] as const) {
    assert.deepEqual(said(name, value), [], name)
  }
})
