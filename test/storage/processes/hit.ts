import { openStorage } from '../../helpers/storage.ts'
// Counts on one throttle of the database, as often as the second argument says, and prints each number once it is stored.

const [, , file, times] = process.argv
const storage = await openStorage(file as string)
for (let i = 0; i < Number(times); i++) {
  process.stdout.write(`${await storage.throttles.hit('shared', 600, 3600)}\n`)
}
await storage.close()
