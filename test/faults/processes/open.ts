import { openStorage } from '../../helpers/storage.ts'

// Tries to open each file as the current user, and prints the result for each.
const said: Record<string, string> = {}
for (const file of process.argv.slice(2)) {
  said[file] = await openStorage(file).then(
    () => 'opened',
    (error: Error) => error.message,
  )
}
process.stdout.write(JSON.stringify(said))
