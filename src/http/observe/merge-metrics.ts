/**
 * The metrics of several processes as one text: each sample says whose it is, so that no counter of one is taken for
 * another's that went back.
 */
export function mergeMetrics(texts: readonly (readonly [worker: string, text: string])[]): string {
  const families = new Map<string, { about: string[]; samples: string[] }>()
  for (const [worker, text] of texts) {
    let family = { about: [] as string[], samples: [] as string[] }
    for (const line of text.split('\n')) {
      const [, kind, name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? []
      if (name !== undefined) {
        family = families.get(name) ?? { about: [], samples: [] }
        families.set(name, family)
        // Said once: all of them say the same.
        if (!family.about.some(said => said.startsWith(`# ${kind} `))) family.about.push(line)
      } else if (line !== '') family.samples.push(withWorker(line, worker))
    }
  }
  const lines = [...families.values()].flatMap(({ about, samples }) => [...about, ...samples])
  return `${lines.join('\n')}\n`
}

/** `name{a="b"} 1` or `name 1`. */
const withWorker = (sample: string, worker: string): string =>
  sample.replace(/^(\w+)(\{)?/, (_, name, braces) => `${name}{worker="${worker}"${braces ? ',' : '}'}`)
