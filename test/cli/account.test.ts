import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, describe, test } from 'node:test'
import { readPassword, type Terminal } from '../../src/cli/password.ts'
import { createAccounts } from '../../src/domain/accounts.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openStorage } from '../../src/storage/open.ts'
import { createCli } from '../helpers/cli.ts'
import { byTest } from '../helpers/by.ts'

const cli = createCli()
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
      line: 'the email "lf.example.com" is not of the form name@domain',
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
      line: 'standard input has more than one line; the password is one',
    },
    {
      name: 'no terminal and no --password-stdin',
      args: create('new@example.com'),
      stdin: password,
      line: 'there is no terminal to ask for the password on; use --password-stdin',
    },
  ]
  for (const { name, args, stdin, line } of refused) {
    test(`${name} is refused in one line`, async () => {
      const outcome = await cli.run(args, { stdin })
      assert.deepEqual(outcome, { code: 1, stdout: '', stderr: `tillgate: ${line}\n` })
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

  for (const [key, sent] of Object.entries({ 'Ctrl-C': '\u0003', 'Ctrl-D': '\u0004' })) {
    test(`ends at ${key}`, async () => {
      await assert.rejects(readPassword(false, terminal(sent)), { message: 'cancelled' })
    })
  }
})
