import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [server, client] = ['../bin/tillgate.js', '../client/bin/tillgate-client.js'].map(file =>
  fileURLToPath(new URL(file, import.meta.url)),
) as [string, string]

export interface Running {
  child: ChildProcess
  stdout(): string
  /** Peak resident memory in MB; null where the system does not report it. */
  peak(): number | null
}

/** Tillgate in a separate process, as operators run it: logging to a file. */
export const tillgate = (args: string[], env: Record<string, string>, stdin?: 'pipe'): Running =>
  start(server, args, env, stdin)

/** The same from another folder. */
export const installed = (folder: string, args: string[], env: Record<string, string>): Running =>
  start(join(folder, 'bin/tillgate.js'), args, env)

export const tillgateClient = (args: string[], env: Record<string, string>): Running =>
  start(client, args, env)

function start(bin: string, args: string[], env: Record<string, string>, stdin?: 'pipe'): Running {
  const log = openSync(join(tmpdir(), `tillgate-bench-${process.pid}.log`), 'a')
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...process.env, ...env },
    stdio: [stdin ?? 'ignore', 'pipe', log],
  })
  let output = ''
  let peak: number | null = null
  child.stdout?.on('data', data => {
    output += data
  })
  const look = () => {
    const kib = /VmHWM:\s+(\d+)/.exec(fileOf(child.pid, 'status'))?.[1]
    peak = kib === undefined ? peak : Math.round(Number(kib) / 1024)
    return peak
  }
  const timer = setInterval(look, 50)
  child.once('exit', () => clearInterval(timer))
  return { child, stdout: () => output, peak: look }
}

export async function finished({ child, stdout }: Running): Promise<string> {
  const [code] = await once(child, 'exit')
  if (code !== 0) {
    const log = readFileSync(join(tmpdir(), `tillgate-bench-${process.pid}.log`), 'utf8')
    throw new Error(`tillgate exited with ${code}: ${log.slice(-1000)}`)
  }
  return stdout()
}

/** A server from another file of the benchmark, which sends its port when it is ready. */
export async function startServer(
  file: string,
  args: string[] = [],
): Promise<{ base: string; pid: number; stop(): void }> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args)
  const [port] = (await once(child, 'message')) as [number]
  return { base: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => void child.kill() }
}

/** A process and its children. */
export function familyOf(pid: number): number[] {
  const children = readdirSafely('/proc')
    .map(Number)
    .filter(each => Number(/\) \S (\d+)/.exec(fileOf(each, 'stat'))?.[1]) === pid)
  return [pid, ...children]
}

/** CPU time of the processes in microseconds; null where the system does not report it. */
export function cpuOf(pids: readonly number[]): number | null {
  let ticks = 0
  for (const pid of pids) {
    const fields = /\) (.*)$/.exec(fileOf(pid, 'stat').trim())?.[1]?.split(' ')
    if (!fields) return null
    ticks += Number(fields[11]) + Number(fields[12])
  }
  // USER_HZ is 100 on every common Linux.
  return ticks * 10_000
}

/** Resident memory of a process in MB, now; null where the system does not report it. */
export function memoryOf(pid: number): number | null {
  const kib = /VmRSS:\s+(\d+)/.exec(fileOf(pid, 'status'))?.[1]
  return kib === undefined ? null : Math.round(Number(kib) / 1024)
}

function fileOf(pid: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

function readdirSafely(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => /^\d+$/.test(name))
  } catch {
    return []
  }
}
