// Builds dist/ for the npm package, or the folder that is given: Node does not strip types from files under node_modules.
// The server and its libraries become a few files, because loading 1,600 single modules is half of the start.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'

const out = process.argv[2] ?? 'dist'
const options = { bundle: true, platform: 'node', format: 'esm', target: 'node24' } as const

/** A bundled module finds its files (migrations, stylesheets, the entry of threads) in the folder of the same name. */
const ownAddress: Plugin = {
  name: 'own address',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const own = `new URL('./${relative('src', path).replaceAll('\\', '/').replace(/ts$/, 'js')}', import.meta.url)`
      const contents = readFileSync(path, 'utf8').replaceAll(
        /import\.meta\.(url|dirname|filename)/g,
        (_, part) =>
          part === 'url' ? `${own}.href` : `fromAddress${part === 'dirname' ? 'Folder' : ''}(${own})`,
      )
      return { contents, loader: 'ts' }
    }),
}

/**
 * Imported as an ES module, `node:http` evaluates all that it exports, and so loads Node's WebSocket client: a twelfth of
 * the start.
 */
const lazyHttp: Plugin = {
  name: 'lazy http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    )
    onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
  },
}

/** CommonJS libraries call `require`; the other two are for `ownAddress`. */
const banner = `import { createRequire as requireFrom } from 'node:module'
import { fileURLToPath as fromAddress } from 'node:url'
const require = requireFrom(import.meta.url)
const fromAddressFolder = url => fromAddress(new URL('.', url))`

rmSync(out, { recursive: true, force: true })
const { metafile } = await build({
  ...options,
  entryPoints: ['src/cli.ts', 'src/ingest/threads/start-thread.ts'],
  outbase: 'src',
  outdir: out,
  splitting: true,
  chunkNames: 'chunk-[hash]',
  // Native code, and files that are read at run time.
  external: ['@node-rs/argon2', '@picocss/pico', '@scalar/fastify-api-reference'],
  plugins: [ownAddress, lazyHttp],
  banner: { js: banner },
  metafile: true,
})
// Migrations, stylesheets, browser scripts and icons.
cpSync('src', out, { recursive: true, filter: name => !/\.(ts|md)$/.test(name) })
writeFileSync(join(out, 'LICENSES.txt'), licenses(metafile))
// The demo's example app, with the client package inside.
await build({
  ...options,
  entryPoints: ['examples/ledger/main.ts'],
  outfile: join(out, 'ledger/main.js'),
  conditions: ['tillgate-source'],
})
cpSync('examples/ledger/assets', join(out, 'ledger/assets'), { recursive: true })

/** The licences of the bundled libraries, which ask for it. */
function licenses({ inputs }: Metafile): string {
  const folders = new Set(
    Object.keys(inputs).flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  )
  const texts = [...folders].sort().map(folder => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each))
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
    return `${name} ${version} (${license})\n\n${text}`
  })
  return texts.join(`\n${'-'.repeat(80)}\n`)
}
