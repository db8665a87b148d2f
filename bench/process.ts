import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../bin/tillgate.js', import.meta.url))

export interface Running {
  child: ChildProcess
  stdout(): string
  /** The most memory the process has had, so far, in MB; null where the system does not tell. */
  peak(): number | null
}

/** Tillgate as a process of its own, as operators run it. */
export function tillgate(args: string[], env: Record<string, string>): Running {
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...process.env, TILLGATE_LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let peak: number | null = null
  child.stdout?.on('data', data => {
    output += data
  })
  const look = () => {
    try {
      const kib = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
      peak = kib === undefined ? peak : Math.round(Number(kib) / 1024)
    } catch {}
    return peak
  }
  const timer = setInterval(look, 50)
  child.once('exit', () => clearInterval(timer))
  return { child, stdout: () => output, peak: look }
}

export async function finished({ child, stdout }: Running): Promise<string> {
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`tillgate exited with ${code}`)
  return stdout()
}
