import { migrate } from '../../helpers/storage.ts'
// Migrates the database named by the first argument, and prints the numbers.

process.stdout.write(`${JSON.stringify(await migrate(process.argv[2] as string))}\n`)
