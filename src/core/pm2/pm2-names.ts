export function isPm2Name(name: string): boolean {
  return /^(?:ecosystem|pm2|process)[\w.-]*$/i.test(name) && /\.(?:json|ya?ml|config\.[cm]?js)$/i.test(name);
}
