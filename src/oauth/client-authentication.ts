/** RFC 4648 §4, with or without its padding, as the provider reads it. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

/** RFC 6749 §2.3.1: client_id and client_secret, each form-encoded. Null when the header cannot be read. */
export function readBasic(authorization: string): { client_id: string; client_secret: string } | null {
  const encoded = /^basic ([^ ]+)$/i.exec(authorization)?.[1]
  if (encoded === undefined || !base64.test(encoded)) return null
  const parts = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString())
  if (!parts) return null
  try {
    const [client_id = '', client_secret = ''] = parts.slice(1).map(decode)
    // RFC 6749 appendix A.1 and A.2: printable ASCII.
    return /^[\x20-\x7e]*$/.test(client_id + client_secret) ? { client_id, client_secret } : null
  } catch {
    return null
  }
}

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

/** The client that a request names, in the form or the Authorization header; empty when it names none. */
export const clientIdOf = (form: URLSearchParams, authorization: string | undefined): string =>
  form.get('client_id') ?? readBasic(authorization ?? '')?.client_id ?? ''
