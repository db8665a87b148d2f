import { spawn } from 'node:child_process'

// Loaded into a worker before anything else: its child inherits the channel to the supervisor and lives longer.
const { channel } = process as unknown as { channel: { fd: number } }
const holder = spawn('sleep', ['30'], { stdio: ['ignore', 'ignore', 'ignore', channel.fd], detached: true })
process.send?.(holder.pid)
// It never becomes a server.
await new Promise(() => {})
