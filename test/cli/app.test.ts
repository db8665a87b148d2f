import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createApps } from '../../src/domain/apps/apps.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { App, Storage } from '../../src/storage/port/index.ts'
import { createCli } from '../helpers/cli.ts'
import { png, svg } from '../helpers/images.ts'
import { openStorage } from '../helpers/storage.ts'

interface Created {
  client_id: string
  client_secret: string | null
}

const cli = await createCli()
const cb = 'https://app.example.com/cb'
const huge = 9_007_199_254_740_993n
let storage: Storage

// The tests read over a connection of their own, as a running server would.
before(async () => {
  storage = await openStorage(cli.database)
  const row = { name: 'Shop', timezone: 'Australia/Sydney', merchant: null }
  const stores = [1001n, 1002n, huge].map(id => ({ ...row, id, doc: `{"id":${id}}` }))
  await storage.records.write({ store_ids: stores.map(({ id }) => id), items: [], orders: [] }, () => ({
    stores,
    items: [],
    orders: [],
    rollups: [],
  }))
})
after(async () => {
  await storage.close()
  cli.remove()
})

const create = (...options: string[]) => cli.json<Created>(['app', 'create', '--name', 'Ledger', ...options])
const verify = (id: string, secret: string | null) =>
  createApps({ storage, clock: systemClock }).verifySecret(id, secret ?? '')

async function linked(app_id: string): Promise<bigint[]> {
  const live = await storage.authorizations.findLive(app_id, null)
  return live ? storage.authorizations.storeIds(live.id) : []
}

describe('app create', () => {
  test('--json prints client_id, client_secret, name, scope and redirect_uris', async () => {
    const made = await create('--redirect-uri', cb, '--redirect-uri', 'http://localhost:3000/cb')
    assert.deepEqual(made, {
      client_id: made.client_id,
      client_secret: made.client_secret,
      name: 'Ledger',
      scope: 'integration.store integration.order integration.inventory',
      redirect_uris: [cb, 'http://localhost:3000/cb'],
    })
    assert.equal(await verify(made.client_id, made.client_secret), true)
  })

  test('--scope narrows what the app is registered for', async () => {
    const made = await create('--scope', 'integration.store integration.order')
    assert.deepEqual((await storage.apps.find(made.client_id))?.scope, 'integration.store integration.order')
  })

  test('--website and --publisher are what merchants see; without them there is none', async () => {
    const made = await create('--website', 'https://ledger.example', '--publisher', 'Ledger Ltd')
    const { website, publisher } = (await storage.apps.find(made.client_id)) ?? {}
    assert.deepEqual([website, publisher], ['https://ledger.example/', 'Ledger Ltd'])
    const plain = await storage.apps.find((await create()).client_id)
    assert.deepEqual([plain?.website, plain?.publisher], [null, null])
    const { stdout } = await cli.run(['app', 'create', '--help'])
    for (const option of ['--website <url>', '--publisher <name>']) assert.ok(stdout.includes(option), option)
  })

  test('--public gives no secret', async () => {
    const made = await create('--public', '--redirect-uri', cb)
    assert.equal(made.client_secret, null)
    assert.equal((await storage.apps.find(made.client_id))?.public, true)
  })

  test('without --json it prints both for a person, and says on stderr that the secret is shown once', async () => {
    const { code, stdout, stderr } = await cli.run(['app', 'create', '--name', 'For people'])
    assert.equal(code, 0)
    assert.match(stdout, /^client_id {6}[\w-]{22}\nclient_secret {2}[\w-]{43}\n$/)
    assert.match(stderr, /^The client_secret is shown only once[^\n]*\n$/)
  })

  const refused: { name: string; options: string[]; line: RegExp }[] = [
    {
      name: 'an empty name',
      options: ['--name', ''],
      line: /the name has 0 characters; it must have 1 to 100/,
    },
    { name: 'an unknown scope', options: ['--scope', 'admin'], line: /the scope "admin" is not one of / },
    { name: 'a bad redirect URI', options: ['--redirect-uri', 'http://a.example/cb'], line: /loopback/ },
    { name: 'a website over http', options: ['--website', 'http://a.example'], line: /not an https address/ },
    { name: 'a public app without a redirect URI', options: ['--public'], line: /at least one redirect URI/ },
    {
      name: 'platform.write together with a redirect URI',
      options: ['--scope', 'platform.write', '--redirect-uri', cb],
      line: /platform\.write is for the platform alone/,
    },
  ]
  for (const { name, options, line } of refused) {
    test(`${name} is refused in one line`, async () => {
      const outcome = await cli.run(['app', 'create', '--name', 'Refused', ...options])
      assert.equal(outcome.stdout, '')
      assert.match(outcome.stderr, /^tillgate: [^\n]+\n$/)
      assert.match(outcome.stderr, line)
      assert.equal(outcome.code, 1)
      assert.ok(!(await storage.apps.list()).some(app => app.name === 'Refused'))
    })
  }
})

describe('app rotate-secret', () => {
  test('prints a new secret once; the one before works until the next rotation', async () => {
    const { client_id, client_secret } = await create()
    const rotated = await cli.json<Created>(['app', 'rotate-secret', client_id])
    assert.deepEqual(Object.keys(rotated), ['client_id', 'client_secret'])
    assert.equal(rotated.client_id, client_id)
    assert.equal(await verify(client_id, client_secret), true)
    assert.equal(await verify(client_id, rotated.client_secret), true)
    const { stdout } = await cli.run(['app', 'rotate-secret', client_id])
    assert.match(stdout, /^client_id {6}[\w-]{22}\nclient_secret {2}[\w-]{43}\n$/)
    assert.equal(await verify(client_id, client_secret), false)
    assert.equal(await verify(client_id, rotated.client_secret), true)
  })

  test('a public app and an unknown one are refused in one line', async () => {
    const { client_id } = await create('--public', '--redirect-uri', cb)
    const isPublic = await cli.run(['app', 'rotate-secret', client_id])
    assert.deepEqual(isPublic, {
      code: 1,
      stdout: '',
      stderr: `tillgate: the app ${client_id} is public: it has no secret\n`,
    })
    const unknown = await cli.run(['app', 'rotate-secret', 'nobody'])
    assert.deepEqual(unknown, {
      code: 1,
      stdout: '',
      stderr: 'tillgate: no app has the client_id "nobody"\n',
    })
  })
})

describe('app authorize and app revoke', () => {
  test('--store is variadic and repeatable, and its ids are exact', async () => {
    const { client_id } = await create()
    const args = ['app', 'authorize', client_id, '--store', '1001', String(huge), '--store', '1002', '--json']
    const { code, stdout } = await cli.run(args)
    assert.equal(code, 0)
    assert.equal(stdout, `{"client_id":"${client_id}","stores":[1001,${huge},1002]}\n`)
    assert.deepEqual(await linked(client_id), [1001n, 1002n, huge])
  })

  test('authorize adds to the stores linked before', async () => {
    const { client_id } = await create()
    await cli.run(['app', 'authorize', client_id, '--store', '1001'])
    const { stdout } = await cli.run(['app', 'authorize', client_id, '--store', '1002'])
    assert.equal(stdout, `the app ${client_id} may read store 1002\n`)
    assert.deepEqual(await linked(client_id), [1001n, 1002n])
  })

  test('authorize names a store that does not exist and links none', async () => {
    const { client_id } = await create()
    const outcome = await cli.run(['app', 'authorize', client_id, '--store', '1001', '7'])
    assert.deepEqual(outcome, { code: 1, stdout: '', stderr: 'tillgate: no store has the id 7\n' })
    assert.deepEqual(await linked(client_id), [])
  })

  test('revoke takes the named stores, without --store everything', async () => {
    const { client_id } = await create()
    await cli.run(['app', 'authorize', client_id, '--store', '1001', '1002'])
    const some = await cli.json(['app', 'revoke', client_id, '--store', '1001'])
    assert.deepEqual(some, { client_id, revoked: 1 })
    assert.deepEqual(await linked(client_id), [1002n])
    const { code, stdout } = await cli.run(['app', 'revoke', client_id])
    assert.deepEqual(
      { code, stdout },
      { code: 0, stdout: `the app ${client_id} may no longer read any store\n` },
    )
    assert.deepEqual(await linked(client_id), [])
  })

  test('revoke of an unknown app is refused in one line', async () => {
    const outcome = await cli.run(['app', 'revoke', 'nobody'])
    assert.deepEqual(outcome, {
      code: 1,
      stdout: '',
      stderr: 'tillgate: no app has the client_id "nobody"\n',
    })
  })
})

describe('app disable and app enable', () => {
  test('disable marks the app, enable takes the mark away, and each may be repeated', async () => {
    const { client_id } = await create()
    const marked = async () => (await storage.apps.find(client_id))?.disabled_at !== null
    assert.deepEqual(await cli.json(['app', 'disable', client_id]), { client_id, disabled: true })
    assert.equal(await marked(), true)
    const again = await cli.run(['app', 'disable', client_id])
    assert.deepEqual(again, { code: 0, stdout: `the app ${client_id} is disabled\n`, stderr: '' })
    const listed = await cli.json<{ client_id: string; disabled: boolean }[]>(['app', 'list'])
    assert.equal(listed.find(app => app.client_id === client_id)?.disabled, true)
    assert.deepEqual(await cli.json(['app', 'enable', client_id]), { client_id, disabled: false })
    assert.equal(await marked(), false)
    assert.equal((await cli.run(['app', 'enable', client_id])).stdout, `the app ${client_id} is enabled\n`)
  })

  for (const command of ['disable', 'enable']) {
    test(`${command} of an unknown app is refused in one line`, async () => {
      const outcome = await cli.run(['app', command, 'nobody'])
      assert.deepEqual(outcome, {
        code: 1,
        stdout: '',
        stderr: 'tillgate: no app has the client_id "nobody"\n',
      })
    })
  }
})

describe('app show and app update', () => {
  interface Shown {
    created_at: string
    secrets: object[]
  }

  test('show prints everything except the secrets', async () => {
    const { client_id, client_secret } = await create('--redirect-uri', cb, '--publisher', 'Ledger Ltd')
    await cli.run(['app', 'authorize', client_id, '--store', '1001'])
    const shown = await cli.json<Shown>(['app', 'show', client_id])
    const { created_at } = shown
    assert.match(created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.deepEqual(shown, {
      client_id,
      name: 'Ledger',
      website: null,
      publisher: 'Ledger Ltd',
      logo: false,
      scope: 'integration.store integration.order integration.inventory',
      redirect_uris: [cb],
      public: false,
      developer: null,
      created_at,
      disabled_at: null,
      disabled_by_developer: false,
      stores: 1,
      merchants: 0,
      linked_by_operator: true,
      secrets: [{ created_at, last_used_at: null }],
    })
    const { stdout } = await cli.run(['app', 'show', client_id])
    assert.match(stdout, /^client_id {14}\S+\nname {19}Ledger\nwebsite {16}-\n/)
    assert.match(stdout, /\nsecrets {16}created [\d-]+ [\d:]+, last used never\n$/)
    assert.ok(!`${JSON.stringify(shown)}${stdout}`.includes(client_secret ?? 'no secret'))
  })

  test('update changes what is named, keeps the rest, and writes one audit entry', async () => {
    const { client_id } = await create('--redirect-uri', cb, '--website', 'https://ledger.example')
    const two = ['https://a.example/cb', 'https://b.example/cb']
    const uris = two.flatMap(uri => ['--redirect-uri', uri])
    const changed = await cli.json<App>(['app', 'update', client_id, '--name', 'Books', ...uris])
    assert.deepEqual([changed.name, changed.redirect_uris], ['Books', two])
    const { name, website, redirect_uris, scope } = (await storage.apps.find(client_id)) as App
    assert.deepEqual([name, website, redirect_uris], ['Books', 'https://ledger.example/', two])
    assert.equal(scope, 'integration.store integration.order integration.inventory')
    const { lines } = await storage.audit.list({ app_id: client_id, limit: 10, scan_limit: 10 })
    assert.deepEqual(
      lines.map(({ action, detail }) => [action, detail]),
      [
        ['app_changed', 'name, redirect_uris'],
        ['app_created', 'Ledger'],
      ],
    )
    const removed = await cli.json<App>(['app', 'update', client_id, '--no-website', '--no-redirect-uri'])
    assert.deepEqual([removed.website, removed.redirect_uris, removed.name], [null, [], 'Books'])
    const narrow = await cli.json<App>(['app', 'update', client_id, '--scope', 'integration.order'])
    assert.deepEqual([narrow.scope, narrow.name], ['integration.order', 'Books'])
  })

  test('update --logo stores an image, and --no-logo removes it; a file that is none changes nothing', async () => {
    const { client_id } = await create()
    const folder = dirname(cli.database)
    const [image, text] = [join(folder, 'logo'), join(folder, 'logo.png')]
    writeFileSync(image, png(2, 2))
    writeFileSync(text, svg)
    const update = (...args: string[]) => cli.json<{ logo: boolean }>(['app', 'update', client_id, ...args])
    assert.equal((await update('--logo', image)).logo, true)
    assert.deepEqual((await storage.logos.find(client_id))?.content, png(2, 2))
    for (const [file, says] of [
      [text, /the file is not a PNG, JPEG or WebP image/],
      [join(folder, 'nothing'), /^tillgate: there is no file .*nothing\n$/],
    ] as const) {
      const { code, stderr } = await cli.run(['app', 'update', client_id, '--name', 'Other', '--logo', file])
      assert.equal(code, 1)
      assert.match(stderr, says)
    }
    assert.equal((await storage.apps.find(client_id))?.name, 'Ledger')
    assert.equal((await update('--no-logo')).logo, false)
    assert.equal(await storage.logos.find(client_id), null)
  })

  test('update refuses what create refuses, and changes nothing', async () => {
    const { client_id } = await create('--public', '--redirect-uri', cb)
    for (const [args, says] of [
      [['--name', ' '], /the name has 0 characters/],
      [['--website', 'http://x.example'], /is not an https address/],
      [['--redirect-uri', 'https://x.example/#y'], /has a fragment/],
      [['--redirect-uri', 'https://u:hunter2@x.example/'], /"\*\*\*" cannot be used: it has a user name/],
      [['--no-redirect-uri'], /a public app needs at least one redirect URI/],
      [['--scope', ' '], /the scope is empty/],
      [['--scope', 'integration.orders'], /is not one of/],
      [['--scope', 'platform.write'], /platform\.write is for the platform alone/],
    ] as const) {
      const { code, stdout, stderr } = await cli.run([
        'app',
        'update',
        client_id,
        '--publisher',
        'P',
        ...args,
      ])
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^tillgate: [^\n]+\n$/)
      assert.match(stderr, says)
    }
    assert.equal((await storage.apps.find(client_id))?.publisher, null)
  })

  for (const command of [['show'], ['update', '--name', 'x']]) {
    test(`${command[0]} of an unknown app is refused in one line`, async () => {
      const outcome = await cli.run(['app', ...command, 'nobody'])
      assert.deepEqual(outcome, {
        code: 1,
        stdout: '',
        stderr: 'tillgate: no app has the client_id "nobody"\n',
      })
    })
  }
})

describe('app list', () => {
  test('--json prints an array of all apps, without their secrets', async () => {
    const { client_id, client_secret } = await create('--redirect-uri', cb)
    const { stdout } = await cli.run(['app', 'list', '--json'])
    const listed = (JSON.parse(stdout) as Created[]).find(app => app.client_id === client_id)
    const created_at = (listed as { created_at?: string } | undefined)?.created_at ?? ''
    assert.deepEqual(listed, {
      client_id,
      name: 'Ledger',
      scope: 'integration.store integration.order integration.inventory',
      redirect_uris: [cb],
      public: false,
      created_at,
      disabled: false,
    })
    assert.match(created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.ok(!stdout.includes(client_secret ?? 'no secret'))
  })

  test('without --json it is a table whose columns line up', async () => {
    const { client_id } = await create('--public', '--redirect-uri', cb)
    const [head = '', ...rows] = (await cli.run(['app', 'list'])).stdout.trimEnd().split('\n')
    assert.match(head, /^client_id +name +scope +redirect_uris +public +created_at +disabled$/)
    assert.equal(rows.length, (await storage.apps.list()).length)
    const row = rows.find(line => line.startsWith(client_id)) ?? ''
    assert.ok(row.startsWith(cb, head.indexOf('redirect_uris')))
    assert.ok(row.startsWith('yes', head.indexOf('public')))
  })

  test('an empty list is an empty array, or says so', async () => {
    const empty = await createCli()
    assert.deepEqual(await empty.json(['app', 'list']), [])
    assert.equal((await empty.run(['app', 'list'])).stdout, 'no apps yet\n')
    empty.remove()
  })
})
