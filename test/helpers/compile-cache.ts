import { tmpdir } from 'node:os'
import { join } from 'node:path'

const build = process.env['TEST_BUILD']

/** Without it each of some hundred processes compiles every file again. That of a build goes with its folder. */
export const compileCache = build
  ? join(build, 'compile-cache')
  : join(tmpdir(), 'tillgate-test-compile-cache')
