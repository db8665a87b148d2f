import { type Config, readConfig, unknownSettings } from '../../config.ts'
import { systemClock } from '../../lib/clock.ts'
import { isPostgresUrl } from '../../lib/database-url.ts'
import { examine } from '../../storage/open.ts'
import { databaseWarnings } from '../../server/warnings.ts'
import { type Check, messageOf, problem, warning } from './check.ts'
import { databaseChecks } from './database.ts'
import { machineChecks } from './machine.ts'
import { addressChecks } from './public-address.ts'

/** Every check that this machine can make: database, machine, public address, settings. */
export async function examineDeployment(thorough: boolean): Promise<Check[]> {
  const config = readConfig()
  const [database, address] = await Promise.all([examineDatabase(config, thorough), addressChecks(config)])
  return [...database, ...machineChecks(config), ...address, ...settingsChecks(config)]
}

async function examineDatabase(config: Config, thorough: boolean): Promise<Check[]> {
  try {
    return databaseChecks(await examine(config.database, { ...config, thorough }), config, systemClock)
  } catch (error) {
    const remedy = isPostgresUrl(config.database)
      ? 'check that PostgreSQL runs, that TILLGATE_DATABASE has the right host, role and password, and that the role may connect'
      : 'check that TILLGATE_DATABASE names the file and that this user may read and write it; the first start of the server creates it'
    return [problem('database', messageOf(error), remedy)]
  }
}

/** The warnings that a server also logs at its start. The address checks cover those about the address. */
const settingsChecks = (config: Config): Check[] => [
  ...databaseWarnings(config).map(({ message, remedy }) => warning('settings', message, remedy)),
  ...unknownSettings().map(message =>
    warning('settings', message, 'correct the name of the variable, or remove it'),
  ),
]
