import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { section } from './section.ts'

const tests = join(import.meta.dirname, '..')

interface Part {
  /** Of a folder that is too much for one process: which of how many parts, from 1. */
  part: number
  of: number
}

/** The test files of a folder and its sub-folders, as paths below `test`. */
export const filesOf = (folder: string, { part, of }: Part = { part: 1, of: 1 }): string[] =>
  readdirSync(join(tests, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .sort()
    .filter((_, index) => index % of === part - 1)
    .map(name => `${folder}/${name}`)

/**
 * Runs test files in this process, one after another, since loading the server takes longer than most of them run.
 * Each is a suite, so that its hooks hold for its own tests alone.
 */
export async function runFiles(engine: 'sqlite' | 'postgres', files: readonly string[]): Promise<void> {
  // Before any helper is loaded: they read it once.
  process.env['TILLGATE_TEST_ENGINE'] = engine
  // Here, where its clean-up belongs to the whole process.
  await import('./postgres.ts')
  await import('./engine.ts')
  for (const file of files) await section(`${file}, ${engine}`, () => import(join(tests, file)))
}
