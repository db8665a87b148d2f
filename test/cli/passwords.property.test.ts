import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { createCli } from '../helpers/cli.ts'

const cli = await createCli({ database: 'unused.db' })
after(cli.remove)

/** Characters that end a part of a URL, and letters that no message has in a row. */
const password = fc
  .array(fc.constantFrom(...'QXZJ789@/#?%:;&= \\\'"'.split('')), { minLength: 4, maxLength: 16 })
  .map(letters => letters.join(''))

/** Nobody listens on port 1. */
const host = '127.0.0.1:1'

/** The URLs that people write, right and wrong. */
const forms: ((password: string) => string)[] = [
  secret => `postgres://u:${encodeURIComponent(secret)}@${host}/db`,
  secret => `postgres://u:${secret}@${host}/db`,
  secret => `POSTGRES://u:${secret}@${host}/db?sslmode=disable`,
  secret => `postgres://u:${secret}@h st/db`,
  secret => `postgres://u:12${secret}@${host}/db`,
  secret => `postgres://${encodeURIComponent(`u:${secret}`)}@${host}/db`,
  secret => `postgres://u@${host}/db?password=${secret}`,
  secret => `postgres://u@${host}/db?${encodeURIComponent(secret)}=1`,
  secret => `postgres://u@${host}/db?sslmode=${encodeURIComponent(secret)}`,
  secret => `postgres:/u:${secret}@${host}/db`,
  secret => `postgres:///u:${secret}@${host}/db`,
  secret => `postgre://u:${secret}@${host}/db`,
  secret => `postgres//u:${secret}@${host}/db`,
  secret => `mysql://u:${secret}@${host}/db`,
  secret => ` "postgres://u:${secret}@${host}/db"`,
  secret => `u:${secret}@${host}/db`,
  secret => `host=127.0.0.1 port=1 user=u password='${secret}'`,
]

const doctor = (url: string) => ({
  args: ['doctor'],
  env: { TILLGATE_DATABASE: url, TILLGATE_BASE_URL: 'http://127.0.0.1:1' },
})

const commands: ((url: string) => { args: string[]; env?: Record<string, string> })[] = [
  url => ({ args: ['app', 'list'], env: { TILLGATE_DATABASE: url } }),
  url => ({ args: ['app', 'list', '--json'], env: { TILLGATE_DATABASE: url } }),
  url => ({ args: ['serve'], env: { TILLGATE_DATABASE: url } }),
  doctor,
  url => ({ args: ['restore', 'x'], env: { TILLGATE_DATABASE: url } }),
  url => ({
    args: ['app', 'list'],
    env: { TILLGATE_DATABASE: `postgres://${host}/db`, TILLGATE_READ_DATABASE: url },
  }),
  url => ({ args: ['copy', '--from', url, '--to', 'x.db'] }),
  url => ({ args: ['copy', `--to=${url}`, '--from', 'x.db', '--json'] }),
  url => ({ args: ['copy', url, 'x.db'] }),
  url => ({ args: ['serve', `--database=${url}`] }),
  url => ({ args: [url] }),
  url => ({ args: ['app', 'list'], env: { TILLGATE_BASE_URL: url } }),
  url => ({ args: ['app', 'list'], env: { TILLGATE_WORKERS: url } }),
]

test('no command prints a password of a database, nor four characters of it, whatever is wrong with the URL', async () => {
  await fc.assert(
    fc.asyncProperty(
      password,
      fc.constantFrom(...forms),
      fc.constantFrom(...commands),
      async (secret, form, command) => {
        const { args, env = {} } = command(form(secret))
        const { code, stdout, stderr } = await cli.run(args, { env })
        assert.notEqual(code, 0)
        for (let at = 0; at + 4 <= secret.length; at++) {
          const part = secret.slice(at, at + 4)
          for (const written of [part, encodeURIComponent(part), JSON.stringify(part).slice(1, -1)]) {
            assert.ok(!`${stdout}${stderr}`.includes(written), `${written} in ${stdout}${stderr}`)
          }
        }
      },
    ),
    // The second @ makes a part of the password the host, which doctor named in a warning.
    { numRuns: 150, examples: [['@QQQQ/Q', secret => `postgres://u:${secret}@h st/db`, doctor]] },
  )
})
