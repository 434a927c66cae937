# A long-running service under systemd with one configuration file: it is restarted when
# the file changes.
#
#   module "web" {
#     source      = "builtin/http_service"
#     name        = "web"
#     command     = "/usr/bin/python3 -m http.server 8080"
#     config_path = "/etc/web.conf"
#     config      = "port = 8080\n"
#   }
#
# Every host runs it unless the block says hosts = [host.NAME]. The service does not run
# as root: systemd makes a user for it, or user names one that is there. The file is
# readable for everybody, so it is no place for secrets. A program that other stages put
# in place comes first when command is made of their paths, for instance
# "${stage.venv.app.path}/bin/app".
#
# Output: unit, the name of the unit ("web.service").

variable "name" {
  type        = string
  description = "Name of the unit, without .service"

  validation {
    condition     = can(regex("^[a-z][a-z0-9_-]{0,50}$", var.name))
    error_message = "The name is lower-case letters, digits, - and _, and begins with a letter."
  }
}

variable "command" {
  type        = string
  description = "ExecStart: an absolute path with its arguments"
}

variable "config_path" {
  type        = string
  description = "Where the configuration file lies on the host"
}

variable "config" {
  type        = string
  description = "Content of the configuration file"
}

variable "user" {
  type        = string
  default     = ""
  description = "User that the service runs as; empty lets systemd make one for it"
}

stage "file" "config" {
  path    = var.config_path
  content = var.config
}

stage "unit" "service" {
  name       = "${var.name}.service"
  content    = <<-EOT
    [Unit]
    Description=${var.name}
    After=network.target

    [Service]
    ExecStart=${var.command}
    ${var.user == "" ? "DynamicUser=yes" : "User=${var.user}"}
    Restart=on-failure

    [Install]
    WantedBy=multi-user.target
  EOT
  enabled    = true
  running    = true
  restart_on = [stage.file.config]
}

output "unit" {
  value = stage.unit.service.name
}
