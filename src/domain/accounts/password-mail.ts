import { html } from 'ghtml'
import type { Brand, Logo } from '../../storage/port/index.ts'
import type { Message } from './mail.ts'

interface PasswordMail {
  link: string
  /** Hours that the link works. */
  hours: number
  /** The server's public address. */
  host: string
  brand: Brand
  logo: Logo | null
}

/** The mail with a password link. With a logo it also has a part in HTML, which shows it. */
export function passwordMail({ link, hours, host, brand, logo }: PasswordMail): Omit<Message, 'to'> {
  const { name, support } = brand
  const where = name === null ? host : `${name} (${host})`
  const begin = `Use this link to set the password for your account at ${where}:`
  const rest = [
    `The link works once and expires in ${hours} hours. If you did not expect this email, ignore it; your password stays the same.`,
    ...(support === null ? [] : [`Need help? ${support}`]),
  ]
  const message = {
    subject: `Set your password at ${name ?? host}`,
    text: [begin, link, ...rest].join('\n\n'),
  }
  if (!logo) return message
  return {
    ...message,
    html: html`<p><img src="cid:logo" alt="${name ?? ''}" height="48"></p>
      <p>${begin}</p><p><a href="${link}">${link}</a></p>!${rest.map(text => html`<p>${text}</p>`)}`,
    attachments: [{ cid: 'logo', filename: 'logo', content: logo.content, contentType: logo.type }],
  }
}
