import { once } from 'node:events'
import { type Running, tillgate } from './process.ts'

/** Runs `use` against a server process of its own. */
export async function withServer<T>(
  env: Record<string, string>,
  use: (base: string, server: Running) => Promise<T>,
): Promise<T> {
  const server = tillgate(['serve'], env)
  try {
    await once(server.child.stdout as NodeJS.ReadableStream, 'data')
    return await use(/http:\S+/.exec(server.stdout())?.[0] ?? '', server)
  } finally {
    server.child.kill('SIGTERM')
    await once(server.child, 'exit')
  }
}

export async function tokenFor(
  base: string,
  client: { client_id: string; client_secret: string },
): Promise<string> {
  const { client_id, client_secret } = client
  const form = { grant_type: 'client_credentials', client_id, client_secret }
  const response = await fetch(`${base}/auth/v2/token`, { method: 'POST', body: new URLSearchParams(form) })
  return ((await response.json()) as { access_token: string }).access_token
}
