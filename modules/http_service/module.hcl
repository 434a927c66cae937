# A long-running service under systemd with one configuration file: it is restarted when
# the file changes.

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
