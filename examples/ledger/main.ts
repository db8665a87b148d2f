import { createLedger } from './ledger.ts'

/** Starts Harbour Ledger with settings from the environment. README.md lists them. */

const needed = (name: string): string => {
  const value = process.env[name]
  if (!value) throw new Error(`${name} must be set; see README.md`)
  return value
}

const port = Number(process.env['PORT'] || 8090)
const site = process.env['LEDGER_SITE'] || `http://localhost:${port}`

const ledger = createLedger({
  site,
  database: process.env['LEDGER_DATABASE'] || 'ledger.db',
  tillgate: {
    baseUrl: needed('TILLGATE_URL'),
    clientId: needed('TILLGATE_CLIENT_ID'),
    clientSecret: needed('TILLGATE_CLIENT_SECRET'),
  },
  webhookSecret: needed('WEBHOOK_SECRET'),
})

ledger.server.listen(port, '127.0.0.1', () => console.log(`Harbour Ledger is ready at ${site}`))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ledger.close())
