import type { SendMailOptions } from 'nodemailer'
import { loopbackHosts } from '../../lib/address.ts'
import { makeOnce } from '../../lib/make-once.ts'

/** Milliseconds: a page waits for an operator's mail. */
const timeout = 10_000

export interface Message extends Pick<SendMailOptions, 'html' | 'attachments'> {
  to: string
  subject: string
  text: string
}

export interface Mail {
  /** Rejects when the mail server does not accept the message. */
  send(message: Message): Promise<void>
}

/** Sends mail over SMTP; null when no server is configured. */
export function createMail({ smtp_url, mail_from }: { smtp_url: string; mail_from: string }): Mail | null {
  if (smtp_url === '') return null
  // Loaded for the first mail: most starts of the server send none.
  const transport = makeOnce(async () => {
    const { createTransport } = await import('nodemailer')
    const { protocol, hostname } = new URL(smtp_url)
    return createTransport({
      url: smtp_url,
      // Else somebody on the way could remove the server's offer to encrypt, and read the links.
      requireTLS: protocol === 'smtp:' && !loopbackHosts.includes(hostname),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  })
  return {
    async send({ to, ...message }) {
      // The address as a part: an email with a comma must not become two.
      await (await transport()).sendMail({ from: mail_from, to: { name: '', address: to }, ...message })
    },
  }
}
