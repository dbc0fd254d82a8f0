terraform {
  required_version = ">= 1.5"
}

# Where logs go.
resource "aws_s3_bucket" "logs" {
  bucket = "${var.name}-logs"

  lifecycle_rule {
    enabled = true
    expiration {
      days = 30
    }
  }
}

variable "name" {
  type        = string
  description = "What it is called"
  default     = "shop"
}

data "aws_caller_identity" "current" {}

locals {
  tags = merge(var.tags, {
    team = "sea"
  })
}

module "network" {
  source = "./modules/network"
  cidr   = cidrsubnet(var.cidr, 8, 1)
}

output "bucket" {
  value = aws_s3_bucket.logs.arn
}
