import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Without it each of some hundred processes strips the types from every file again. */
export const compileCache = join(tmpdir(), 'tillgate-test-compile-cache')
