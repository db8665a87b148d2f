import { filesOf, runFiles } from '../../helpers/suite.ts'

// Here, where the browser belongs to the whole process.
await import('../../helpers/pages.ts')
await runFiles('sqlite', filesOf('pages', { part: 1, of: 2 }))
