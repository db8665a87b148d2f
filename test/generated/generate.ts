import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypescript, { astToString } from 'openapi-typescript'

/** Generates `openapi-typescript.ts` and the folder `hey-api` from an OpenAPI document. */
export async function generateClients(document: object, folder: string): Promise<void> {
  const nodes = await openapiTypescript(JSON.stringify(document))
  await writeFile(join(folder, 'openapi-typescript.ts'), astToString(nodes))
  await createClient({
    input: document as never,
    output: join(folder, 'hey-api'),
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
    logs: { level: 'silent' },
  })
}
