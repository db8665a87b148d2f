// Migrates the database named by the first argument, and prints the numbers.
import { migrate } from '../../../src/storage/open.ts'

process.stdout.write(`${JSON.stringify(await migrate(process.argv[2] as string))}\n`)
