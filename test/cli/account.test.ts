import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { readPassword, type Terminal } from '../../src/cli/shared/password.ts'
import { createAccounts } from '../../src/domain/accounts/accounts.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type Cli, createCli } from '../helpers/cli.ts'
import { byTest } from '../helpers/by.ts'
import { openStorage } from '../helpers/storage.ts'

const cli = await createCli()
after(cli.remove)

const password = 'correct horse battery'
const create = (email: string, role = 'merchant') => ['account', 'create', '--email', email, '--role', role]
const fromStdin = (email: string, role?: string) => [...create(email, role), '--password-stdin']

describe('account create', () => {
  for (const role of ['merchant', 'developer', 'operator']) {
    test(`--json prints id, email and role of a ${role}`, async () => {
      const args = fromStdin(` ${role}@Example.com`, role)
      const made = await cli.json<{ id: string }>(args, { stdin: `${password}\n` })
      assert.deepEqual(made, { id: made.id, email: `${role}@example.com`, role })
      assert.match(made.id, /^[\w-]{22}$/)
    })
  }

  test('the account signs in with the line on stdin, without its newline', async () => {
    for (const [email, stdin] of Object.entries({
      'lf@example.com': `${password}\n`,
      'crlf@example.com': `${password}\r\n`,
      'bare@example.com': password,
      'spaces@example.com': ` ${password} \n`,
    })) {
      const { code, stdout } = await cli.run(fromStdin(email), { stdin })
      assert.deepEqual({ code, stdout }, { code: 0, stdout: `created the merchant account ${email}\n` })
    }
    const storage = await openStorage(cli.database)
    const accounts = createAccounts({ storage, clock: systemClock })
    const signedIn = [
      await accounts.signIn('lf@example.com', password, byTest),
      await accounts.signIn('crlf@example.com', password, byTest),
      await accounts.signIn('bare@example.com', password, byTest),
      await accounts.signIn('spaces@example.com', ` ${password} `, byTest),
    ]
    await storage.close()
    assert.ok(signedIn.every(account => account !== null))
  })

  const refused: { name: string; args: string[]; stdin: string; line: string }[] = [
    {
      name: 'an email that is taken',
      args: fromStdin('LF@example.com'),
      stdin: password,
      line: 'an account with the email lf@example.com already exists',
    },
    {
      name: 'a bad email',
      args: fromStdin('lf.example.com'),
      stdin: password,
      line: 'the email "lf.example.com" does not have the form name@domain',
    },
    {
      name: 'a short password',
      args: fromStdin('new@example.com'),
      stdin: 'hunter2\n',
      line: 'the password has 7 characters; it must have 10 to 1024',
    },
    {
      name: 'a password of two lines',
      args: fromStdin('new@example.com'),
      stdin: `${password}\n${password}\n`,
      line: 'standard input has more than one line; the password must be a single line',
    },
    {
      name: 'no terminal and no --password-stdin',
      args: create('new@example.com'),
      stdin: password,
      line: 'cannot ask for the password without a terminal; use --password-stdin',
    },
  ]
  for (const { name, args, stdin, line } of refused) {
    test(`${name} is refused in one line`, async () => {
      const outcome = await cli.run(args, { stdin })
      assert.deepEqual(outcome, { code: 1, stdout: '', stderr: `tillgate: ${line}\n` })
    })
  }
})

describe('the accounts that there are', () => {
  let own: Cli
  before(async () => {
    own = await createCli()
    for (const [email, role] of Object.entries({
      'ops@x.example': 'operator',
      'mia@x.example': 'merchant',
    })) {
      await own.run(fromStdin(email, role), { stdin: password })
    }
  })
  after(() => own.remove())

  interface Listed {
    id: string
    email: string
    role: string
    created_at: string
    disabled: boolean
  }
  const list = (...args: string[]) => own.json<Listed[]>(['account', 'list', ...args])
  const named = (email: string) => ['--email', email]

  /** Signs in as the pages would. */
  async function signsIn(email: string, secret: string): Promise<boolean> {
    const storage = await openStorage(own.database)
    const found = await createAccounts({ storage, clock: systemClock }).signIn(email, secret, byTest)
    await storage.close()
    return found !== null
  }

  test('list: by email, as a table or as JSON, all or those that are searched for', async () => {
    const all = await list()
    assert.deepEqual(
      all.map(({ email, role, disabled }) => [email, role, disabled]),
      [
        ['mia@x.example', 'merchant', false],
        ['ops@x.example', 'operator', false],
      ],
    )
    for (const { id, created_at } of all) {
      assert.match(id, /^[\w-]{22}$/)
      assert.match(created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    }
    assert.deepEqual(await list('--search', 'OPS@'), all.slice(1))
    assert.deepEqual(await list('--search', 'nobody'), [])
    const { stdout } = await own.run(['account', 'list'])
    const [head, ...rows] = stdout.trimEnd().split('\n')
    assert.match(head ?? '', /^id +email +role +created_at +disabled$/)
    assert.match(rows[0] ?? '', /mia@x\.example +merchant +[\d-]+ [\d:]+ +no$/)
    assert.equal((await own.run(['account', 'list', '--search', 'zzz'])).stdout, 'no accounts\n')
  })

  test('disable and enable: told once done, also when it was so already', async () => {
    const [mia] = await list('--search', 'mia')
    for (let i = 0; i < 2; i++) {
      const disabled = await own.json(['account', 'disable', ...named(' MIA@x.example')])
      assert.deepEqual(disabled, { id: mia?.id, email: 'mia@x.example', disabled: true })
    }
    assert.equal((await list('--search', 'mia'))[0]?.disabled, true)
    assert.equal(await signsIn('mia@x.example', password), false)
    const { stdout } = await own.run(['account', 'enable', ...named('mia@x.example')])
    assert.equal(stdout, 'the account mia@x.example is enabled\n')
    assert.equal(await signsIn('mia@x.example', password), true)
  })

  test('password: the new one signs in, the old one does not', async () => {
    const args = ['account', 'password', ...named('mia@x.example'), '--password-stdin']
    const { code, stdout } = await own.run(args, { stdin: 'a newer password\n' })
    assert.deepEqual([code, stdout], [0, 'the account mia@x.example has a new password\n'])
    assert.equal(await signsIn('mia@x.example', password), false)
    assert.equal(await signsIn('mia@x.example', 'a newer password'), true)
  })

  const refused: { name: string; args: string[]; stdin?: string; line: string }[] = [
    ...['disable', 'enable', 'password'].map(command => ({
      name: `${command} of nobody`,
      args: [
        'account',
        command,
        ...named('nobody@x.example'),
        ...(command === 'password' ? ['--password-stdin'] : []),
      ],
      stdin: password,
      line: 'no account has the email "nobody@x.example"',
    })),
    {
      name: 'disabling the last operator',
      args: ['account', 'disable', ...named('ops@x.example')],
      line: 'ops@x.example is the only enabled operator; create or enable another one first',
    },
    {
      name: 'a short password',
      args: ['account', 'password', ...named('mia@x.example'), '--password-stdin'],
      stdin: 'hunter2',
      line: 'the password has 7 characters; it must have 10 to 1024',
    },
  ]
  for (const { name, args, stdin = '', line } of refused) {
    test(`${name} is refused in one line`, async () => {
      assert.deepEqual(await own.run(args, { stdin }), { code: 1, stdout: '', stderr: `tillgate: ${line}\n` })
    })
  }
})

describe('the prompt for a password', () => {
  /** Both ends of a terminal; what is typed is sent when the prompt for it appears. */
  function terminal(...typed: string[]): Terminal & { shown: () => string } {
    const input = Object.assign(new PassThrough(), { isTTY: true })
    const output = Object.assign(new PassThrough(), { isTTY: true })
    let shown = ''
    output.on('data', chunk => {
      shown += String(chunk)
      if (String(chunk).endsWith(': ')) input.write(typed.shift() ?? '')
    })
    return { input, output, shown: () => shown }
  }

  test('asks twice and shows nothing of what is typed', async () => {
    const screen = terminal(`${password}\r`, `${password}\r`)
    assert.equal(await readPassword(false, screen), password)
    assert.equal(screen.shown(), 'Password: \nAgain: \n')
  })

  test('refuses two passwords that differ', async () => {
    const screen = terminal(`${password}\r`, 'another password\r')
    await assert.rejects(readPassword(false, screen), { message: 'the two passwords differ' })
  })

  test('ends at Ctrl-C and Ctrl-D', async () => {
    const cancelled = (name: string) => ({ name, message: 'cancelled' })
    await assert.rejects(readPassword(false, terminal('\u0003')), cancelled('Interrupted'))
    await assert.rejects(readPassword(false, terminal('abc\r', '\u0003')), cancelled('Interrupted'))
    await assert.rejects(readPassword(false, terminal('\u0004')), cancelled('InputError'))
  })

  test('Ctrl-C ends the command with 130 and leaves the terminal as it was', async () => {
    const node = `${process.execPath} ${join(import.meta.dirname, '../../bin/tillgate.js')}`
    const command = `stty -a; ${node} ${create('a@b.example').join(' ')}; echo "exit $?"; stty -a`
    // A pseudo-terminal from util-linux.
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, TILLGATE_DATABASE: cli.database },
    })
    let shown = ''
    child.stdout.on('data', chunk => {
      shown += chunk
      if (shown.endsWith('Password: ')) child.stdin.write('\u0003')
    })
    const [code] = await once(child, 'close')
    assert.equal(code, 0)
    const [before = '', middle = '', after = ''] = shown
      .replaceAll('\r', '')
      .split(/(Password: [^]*exit \d+\n)/)
    assert.match(middle, /^Password: \ntillgate: cancelled\nexit 130\n$/)
    assert.equal(after, before)
  })
})
