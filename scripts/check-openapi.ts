import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { readConfig } from '../src/config.ts'
import { systemClock } from '../src/lib/clock.ts'
import { buildApp } from '../src/server/app.ts'
import { openStorage } from '../src/storage/open.ts'

/** Lints the OpenAPI document with redocly's and Spectral's recommended rules; a warning fails too. */

async function documentOf(sandbox: boolean): Promise<string> {
  const storage = await openStorage(':memory:')
  const app = await buildApp({
    storage,
    clock: systemClock,
    issuer: 'https://tillgate.example',
    config: { ...readConfig({}), log_level: 'silent', sandbox },
  })
  const { body } = await app.inject('/openapi.json')
  await app.close()
  await storage.close()
  return body
}

const config = await createConfig({ extends: ['recommended'] })
const spectral = new spectralCore.Spectral()
spectral.setRuleset({ extends: oas as RulesetDefinition })

async function problemsOf(source: string): Promise<string[]> {
  const redocly = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return [
    ...redocly.map(
      ({ ruleId, message, location }) => `redocly ${ruleId}: ${message} at ${location[0]?.pointer ?? ''}`,
    ),
    ...(await spectral.run(JSON.parse(source))).map(
      ({ code, message, path }) => `spectral ${code}: ${message} at ${path.join('/')}`,
    ),
  ]
}

for (const sandbox of [false, true]) {
  for (const problem of await problemsOf(await documentOf(sandbox))) {
    console.error(`${problem}${sandbox ? ' (of a sandbox server)' : ''}`)
    process.exitCode = 1
  }
}
