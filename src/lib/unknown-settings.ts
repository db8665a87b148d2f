import { nearest } from './nearest.ts'

const prefix = /^TILLGATE_/i
/** Of a name that is a setting with a typing error. */
const edits = 2
/** Variables that Tillgate's other programs read. */
const readElsewhere = /^TILLGATE_(URL|CLIENT_ID|CLIENT_SECRET|TEST_ENGINE)$/
/** Kubernetes sets these in every pod, for a service whose name starts with tillgate. */
const setByKubernetes = /^TILLGATE_(\w+_)?(SERVICE_(HOST|PORT\w*)|PORT_\d+_(TCP|UDP)\w*)$/
const kubernetesAddress = /^(tcp|udp):\/\//

/** A sentence for each variable that looks like a setting and is none. Values are not shown: one may hold a password. */
export function findUnknown(env: Record<string, string | undefined>, settings: readonly string[]): string[] {
  return Object.keys(env)
    .sort()
    .flatMap(name => {
      if (settings.includes(name) || readElsewhere.test(name)) return []
      if (setByKubernetes.test(name) || kubernetesAddress.test(env[name] ?? '')) return []
      const meant = resembling(name, settings)
      if (meant.length > 0) return [`${name} is not a setting; did you mean ${meant.join(' or ')}?`]
      return prefix.test(name) ? [`${name} is not a setting; the README lists the settings`] : []
    })
}

/** The settings within two edits; else, for a name with the prefix, the one it begins with, or those half like it. */
function resembling(name: string, settings: readonly string[]): string[] {
  const upper = name.toUpperCase()
  const prefixed = settings.filter(setting => prefix.test(setting))
  // By their length first: comparing every variable with every setting took 2 % of the start.
  const alike = prefixed.filter(setting => Math.abs(setting.length - upper.length) <= edits)
  const close = nearest(upper, alike, () => edits)
  if (close.length > 0 || !prefix.test(name)) return close
  const begun = prefixed
    .filter(setting => upper.startsWith(`${setting}_`))
    .sort((a, b) => b.length - a.length)
  if (begun[0] !== undefined) return [begun[0]]
  const bare = (text: string) => text.replace(prefix, '')
  const rest = bare(upper)
  const similar = nearest(rest, settings.map(bare), setting => Math.max(setting.length, rest.length) / 2)
  return settings.filter(setting => similar.includes(bare(setting)))
}
