import { readFileSync } from 'node:fs'

/** The files of the guides and examples that the server shows. The npm package has them too (package.json, `files`). */

/** Shown as text. */
export const examples: readonly string[] = [
  'examples/python/changes.py',
  'examples/go/changes.go',
  'examples/php/changes.php',
  'examples/ruby/changes.rb',
]

export const exampleAddress = (file: string): string => `/docs/${file}`

/** The repository's root is three folders above this file, in src/ as in dist/. */
export const textOf = (file: string): string =>
  readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
