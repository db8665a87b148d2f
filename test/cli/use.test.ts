import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createCli } from '../helpers/cli.ts'
import { isUntouched } from '../helpers/engine.ts'

const cli = await createCli()
after(cli.remove)

/** Every command of the public contract, with words that its help must have. */
const commands: [command: string, ...words: string[]][] = [
  [
    '',
    'serve',
    'demo',
    'import',
    'account',
    'app',
    'store',
    'feed',
    'keys',
    'migrate',
    'backup',
    'restore',
    'completion',
    '--version',
  ],
  ['serve'],
  ['demo', '--stores', '--orders', '--days', '--seed', '--no-serve', '--json'],
  ['import', 'file', '--json'],
  ['account', 'create'],
  ['account create', '--email', '--role', 'merchant', 'developer', 'operator', '--password-stdin', '--json'],
  ['app', 'create', 'rotate-secret', 'authorize', 'revoke', 'list'],
  ['app create', '--name', '--redirect-uri', '--scope', '--public', '--json'],
  ['app rotate-secret', '<client_id>', '--json'],
  ['app authorize', '<client_id>', '--store', '--json'],
  ['app revoke', '<client_id>', '--store', '--json'],
  ['app list', '--json'],
  ['app show', '<client_id>', '--json'],
  [
    'app update',
    '<client_id>',
    '--name',
    '--website',
    '--publisher',
    '--redirect-uri',
    '--scope',
    '--logo',
    '--json',
  ],
  ['store', 'list'],
  ['store list', '--search', '--json'],
  ['feed', 'renew'],
  ['feed renew', '--json'],
  ['webhook', 'create', 'list', 'test', 'deliveries', 'resend', 'rotate-secret', 'delete', 'stop', 'resume'],
  ['webhook create', '<client_id>', '--url', '--event', '--json'],
  ['webhook resend', '<delivery>', '--json'],
  ['keys', 'rotate'],
  ['keys rotate', '--json'],
  ['migrate', '--json'],
  ['backup', '<file>', '--json'],
  ['restore', '<file>', '--json'],
  ['completion', 'bash', 'zsh', 'fish'],
]

describe('--help is everywhere, on stdout, and does nothing else', () => {
  for (const [command, ...words] of commands) {
    test(`tillgate ${command} --help`, async () => {
      const { code, stdout, stderr } = await cli.run([...command.split(' ').filter(Boolean), '--help'])
      assert.equal(code, 0)
      assert.equal(stderr, '')
      assert.ok(stdout.startsWith(`Usage: ${`tillgate ${command}`.trim()} `), stdout)
      for (const word of words) assert.ok(stdout.toLowerCase().includes(word), `${word} in ${stdout}`)
      assert.ok(await isUntouched(cli.database))
    })
  }

  test('tillgate --version prints the version alone', async () => {
    const { code, stdout, stderr } = await cli.spawn(['--version'])
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })
})

describe('bad use: exit code 2, one line on stderr, nothing on stdout, no database made', () => {
  const misuses: [args: string[], line: RegExp][] = [
    [[], /missing command: one of serve, /],
    [['account'], /missing command: one of create/],
    [
      ['app'],
      /missing command: one of create, show, update, rotate-secret, authorize, revoke, disable, enable, list/,
    ],
    [['keys'], /missing command: one of rotate/],
    [['serv'], /unknown command 'serv' \(Did you mean serve\?\)/],
    [['app', 'destroy'], /unknown command 'destroy'/],
    [
      ['app', 'update', 'x'],
      /nothing to change: use --name, --website, --publisher, --redirect-uri, --scope or --logo/,
    ],
    [['completion', 'csh'], /argument value 'csh' is invalid.*bash, zsh, fish/],
    [['serve', '--password=hunter2'], /unknown option '--password'/],
    [['serve', '--database=postgres://u:hunter2@h/db'], /unknown option '--database'/],
    [['postgres://u:hunter2@h/db'], /unknown command '\*\*\*'/],
    [['serve', '--port', '1'], /unknown option '--port'/],
    [['app', 'list', '--jsn'], /unknown option '--jsn' \(Did you mean --json\?\)/],
    [['app', 'list', 'extra'], /too many arguments/],
    [['app', 'create'], /required option '--name <name>' not specified/],
    [['app', 'create', '--name'], /option '--name <name>' argument missing/],
    [['app', 'rotate-secret'], /missing required argument 'client_id'/],
    [['app', 'authorize', 'x'], /required option '--store <id...>' not specified/],
    [['app', 'authorize', 'x', '--store', '1e3'], /argument '1e3' is invalid\. A store id is a whole number/],
    [['app', 'authorize', 'x', '--store', '9223372036854775808'], /'9223372036854775808' is invalid/],
    [['app', 'revoke', 'x', '--store', ''], /argument '' is invalid/],
    [['account', 'create', '--email', 'a@b.example'], /required option '--role <role>' not specified/],
    [['account', 'create', '--role', 'merchant'], /required option '--email <email>' not specified/],
    [
      ['account', 'create', '--email', 'a@b.example', '--role', 'king'],
      /argument 'king' is invalid\. Allowed choices are merchant, developer, operator/,
    ],
    [['backup'], /missing required argument 'file'/],
    [['import'], /missing required argument 'file'/],
  ]
  for (const [args, line] of misuses) {
    test(`tillgate ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await cli.run(args)
      assert.equal(stdout, '')
      assert.match(stderr, /^tillgate: [^\n]+\n$/)
      assert.match(stderr, line)
      assert.doesNotMatch(stderr, /hunter2/)
      assert.equal(code, 2)
      assert.ok(await isUntouched(cli.database))
    })
  }
})

describe('a failure: exit code 1, one line on stderr, nothing on stdout', () => {
  const failures: { name: string; args: string[]; env: Record<string, string>; line: RegExp }[] = [
    {
      name: 'a bad environment',
      args: ['app', 'list'],
      env: { PORT: 'eighty' },
      line: /PORT is "eighty"; it must be a whole number/,
    },
    {
      name: 'a bad environment for serve',
      args: ['serve'],
      env: { TILLGATE_WORKERS: '0' },
      line: /TILLGATE_WORKERS is "0"/,
    },
    {
      name: 'a database in an unknown place',
      args: ['app', 'list'],
      env: { TILLGATE_DATABASE: 'mysql://root:hunter2@db/x' },
      line: /TILLGATE_DATABASE starts with "mysql:"; it must be a postgres:\/\/ URL or a file path/,
    },
    {
      name: 'a database file that is not one',
      args: ['migrate'],
      env: { TILLGATE_DATABASE: import.meta.filename },
      line: /not a (SQLite )?database/,
    },
    {
      name: 'a database below something that is no folder',
      args: ['migrate'],
      env: { TILLGATE_DATABASE: `${import.meta.filename}/x/tillgate.db` },
      line: /TILLGATE_DATABASE is ".*", but .*use\.test\.ts is not a folder/,
    },
  ]
  for (const { name, args, env, line } of failures) {
    test(name, async () => {
      const { code, stdout, stderr } = await cli.run(args, { env })
      assert.equal(stdout, '')
      assert.match(stderr, /^tillgate: [^\n]+\n$/)
      assert.match(stderr, line)
      assert.doesNotMatch(stderr, /hunter2|at .*\.ts:/)
      assert.equal(code, 1)
    })
  }
})

describe('with --json an error is one JSON object on stderr, with a code', () => {
  const errors: { args: string[]; env?: Record<string, string>; code: string; says: RegExp; exit: number }[] =
    [
      { args: ['--json'], code: 'usage', says: /^unknown option '--json'$/, exit: 2 },
      { args: ['app', '--json'], code: 'usage', says: /^unknown option '--json'$|^missing command/, exit: 2 },
      {
        args: ['app', 'show', '--json'],
        code: 'usage',
        says: /^missing required argument 'client_id'$/,
        exit: 2,
      },
      {
        args: ['app', 'list', '--json', '--x=hunter2'],
        code: 'usage',
        says: /^unknown option '--x'/,
        exit: 2,
      },
      {
        args: ['app', 'list', '--json'],
        env: { PORT: 'eighty' },
        code: 'config',
        says: /^PORT is "eighty"/,
        exit: 1,
      },
      {
        args: ['app', 'list', '--json'],
        env: { TILLGATE_DATABASE: 'postgres://u:hunter2@127.0.0.1:1/db' },
        code: 'unavailable',
        says: /^the database cannot be reached$/,
        exit: 1,
      },
      {
        args: ['account', 'disable', '--email', 'a', '--json'],
        code: 'input',
        says: /^no account has/,
        exit: 1,
      },
      {
        args: ['import', '/nonexistent', '--json'],
        code: 'failed',
        says: /^there is no file \/nonexistent$/,
        exit: 1,
      },
    ]
  for (const { args, env = {}, code, says, exit } of errors) {
    test(`tillgate ${args.join(' ')} ${JSON.stringify(env)}`, async () => {
      const { code: status, stdout, stderr } = await cli.run(args, { env })
      assert.match(stderr, /^[^\n]+\n$/)
      const { error } = JSON.parse(stderr) as { error: { code: string; message: string } }
      assert.deepEqual(Object.keys(error), ['code', 'message'])
      assert.equal(error.code, code)
      assert.match(error.message, says)
      assert.doesNotMatch(stderr, /hunter2/)
      assert.deepEqual([status, stdout], [exit, ''])
    })
  }
})

describe('a variable that looks like a setting and is none', () => {
  const env = { TILLGATE_DATABSE: 'postgres://u:hunter2@h/db' }
  const says = 'TILLGATE_DATABSE is not a setting; did you mean TILLGATE_DATABASE?'

  test('every command warns of it, once, without its value', async () => {
    const { code, stderr } = await cli.run(['app', 'list'], { env })
    assert.deepEqual([code, stderr], [0, `tillgate: warning: ${says}\n`])
    const json = await cli.run(['app', 'list', '--json'], { env })
    assert.deepEqual(JSON.parse(json.stderr), { warning: { message: says } })
    const failing = await cli.run(['app', 'list'], { env: { ...env, PORT: 'eighty' } })
    assert.match(failing.stderr, /^tillgate: warning: TILLGATE_DATABSE [^\n]+\ntillgate: PORT is [^\n]+\n$/)
  })

  test('doctor has a check for it', async () => {
    const { checks } = JSON.parse((await cli.run(['doctor', '--json'], { env })).stdout) as {
      checks: { name: string; state: string; message: string }[]
    }
    const found = checks.filter(check => check.message === says)
    assert.deepEqual(
      found.map(({ name, state }) => [name, state]),
      [['settings', 'warning']],
    )
  })
})

test('the exit code and the streams are those of the process', async () => {
  const misuse = await cli.spawn(['serv'])
  assert.deepEqual([misuse.code, misuse.stdout], [2, ''])
  assert.match(misuse.stderr, /^tillgate: unknown command 'serv'[^\n]*\n$/)
  const failure = await cli.spawn(['app', 'list'], { env: { PORT: 'eighty' } })
  assert.deepEqual([failure.code, failure.stdout], [1, ''])
  assert.match(failure.stderr, /^tillgate: PORT is "eighty"[^\n]*\n$/)
  const created = ['account', 'create', '--email', 'a@b.example', '--role', 'merchant', '--password-stdin']
  const success = await cli.spawn(created, { stdin: 'correct horse battery\n' })
  assert.deepEqual(success, { code: 0, stdout: 'created the merchant account a@b.example\n', stderr: '' })
})

test('a reader that closes the pipe early is no failure', async () => {
  const own = await createCli()
  const outcome = await own.spawn(['app', 'list', '--json'], { closeStdout: true })
  own.remove()
  assert.deepEqual(outcome, { code: 0, stdout: '', stderr: '' })
})
