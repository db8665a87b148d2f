/** Runs one command line. */
export async function main(args: readonly string[]): Promise<void> {
  process.stderr.write(`tillgate-client: unknown command ${args[0]}\n`)
  process.exitCode = 2
}
