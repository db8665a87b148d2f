import { filesOf, runFiles } from '../../helpers/suite.ts'

// The client first: a file of ops runs a command while it is loaded, and esbuild keeps the folder that it is loaded in.
await runFiles('sqlite', [...filesOf('client'), ...filesOf('docs'), ...filesOf('ops')])
